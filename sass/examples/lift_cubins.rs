// Development only: cubins to PTX.
fn main() {
    let mut reasons = std::collections::BTreeMap::<String, (usize, String)>::new();
    let (mut good, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path).unwrap();
        let cubin = match sass::cubin::Cubin::parse(&file) { Ok(c) => c, Err(e) => { println!("{path}: {e}"); bad += 1; continue } };
        let lifted = sass::lift::lift(&sass::lift::Image::of(&cubin));
        for (_, e) in &lifted.failures {
            let key = format!("{} {}", e.instruction.split(' ').find(|w| !w.starts_with('@')).unwrap_or(""), e.reason);
            let n = reasons.entry(key).or_insert((0, format!("{path} {e}"))); n.0 += 1;
            bad += 1;
        }
        let parsed = ptx_parser::parse(&lifted.text);
        if let Some(e) = parsed.errors.first() { println!("{path}: {e:?}"); bad += 1 } else if lifted.failures.is_empty() { good += 1 }
        std::fs::write(path.replace(".cubin", ".lifted"), &lifted.text).unwrap();
        if !lifted.failures.is_empty() && lifted.text.lines().count() < 6 { let _ = std::fs::remove_file(path.replace(".cubin", ".lifted")); }
    }
    let mut r: Vec<_> = reasons.into_iter().collect(); r.sort_by_key(|(_, n)| std::cmp::Reverse(n.0));
    for (k, (n, e)) in r { println!("{n} {k}   [{e}]"); }
    println!("{good} good {bad} bad");
}
