// Development only: nvdisasm's text of forms to PTX.
use sass::lift::*;
fn main() {
    let mut reasons = std::collections::BTreeMap::<String, (usize, String)>::new();
    let (mut good, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let all = match sass::text::parse_all(&text) { Ok(a) => a, Err(e) => { println!("{path}: {e}"); bad += 1; continue } };
        let instructions = all.into_iter().map(Ok).collect();
        let image = Image { code: vec![Code { name: ".text.form".into(), instructions, ..Default::default() }],
            kernels: vec![Kernel { name: "form".into(), parameters: (0..6).map(|i| Parameter { offset: 8 * i, size: 8 }).collect(), shared: 16384, stack: 1024, ..Default::default() }], ..Default::default() };
        let lifted = lift(&image);
        for (_, e) in &lifted.failures {
            let key = format!("{} {}", e.instruction.split(' ').find(|w| !w.starts_with('@')).unwrap_or(""), e.reason);
            let n = reasons.entry(key).or_insert((0, format!("{path} {e}"))); n.0 += 1;
        }
        let out = path.replace(".s", ".lifted");
        if lifted.failures.is_empty() {
            { let parsed = ptx_parser::parse(&lifted.text); match parsed.errors.first() { None => good += 1, Some(e) => { bad += 1; println!("{path}: {e:?}"); } } }
            std::fs::write(out, lifted.text).unwrap();
        } else { bad += 1; let _ = std::fs::remove_file(out); }
    }
    let mut r: Vec<_> = reasons.into_iter().collect(); r.sort_by_key(|(_, n)| std::cmp::Reverse(n.0));
    for (k, (n, e)) in r { println!("{n} {k}   [{e}]"); }
    println!("{good} good {bad} bad");
}
