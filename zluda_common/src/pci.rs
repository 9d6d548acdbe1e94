//! Addresses of PCI devices as NVIDIA's libraries write and read them.

/// Domain, bus and device.
pub type Address = [i32; 3];

/// The address of `domain:bus:device` or `bus:device`, whose numbers are hexadecimal.
pub fn parse(place: &str) -> Option<Address> {
    let number = |part: &str| i32::from_str_radix(part, 16).ok();
    let numbers: Vec<i32> = place.split(':').map(number).collect::<Option<_>>()?;
    match numbers[..] {
        [domain, bus, device] => Some([domain, bus, device]),
        [bus, device] => Some([0, bus, device]),
        _ => None,
    }
}

/// `domain:bus:device.0`, whose domain has as many digits.
pub fn text([domain, bus, device]: Address, digits: usize) -> String {
    format!("{domain:0digits$X}:{bus:02X}:{device:02X}.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_may_be_left_out() {
        assert_eq!(parse("0001:c3:1F"), Some([1, 0xc3, 0x1f]));
        assert_eq!(parse("c3:00"), Some([0, 0xc3, 0]));
        for wrong in ["", "c3", "0:0:0:0", "0:g0:0", "0::0"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_domain_has_digits() {
        assert_eq!(text([1, 0xc3, 2], 4), "0001:C3:02.0");
        assert_eq!(text([1, 0xc3, 2], 8), "00000001:C3:02.0");
    }
}
