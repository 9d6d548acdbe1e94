//! Text without what differs from one process to the next.

/// Handles and addresses become `0x*`, as far as they are not null; graphs are numbered as they come; orders that may be
/// others are not compared.
pub fn normal(text: &str) -> String {
    const MARKS: [&str; 5] = ["graph_", "cluster_", "0x", "topoId: ", "Conditional Handle|"];
    let mut graphs: Vec<&str> = Vec::new();
    let (mut rest, mut normal) = (text, String::new());
    while let Some((at, mark)) =
        MARKS.iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min()
    {
        let (before, found) = rest.split_at(at + mark.len());
        normal.push_str(before);
        let is_of_number =
            |c: char| if mark == "0x" { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        let end = found.find(|c| !is_of_number(c)).unwrap_or(found.len());
        let number;
        (number, rest) = found.split_at(end);
        match mark {
            "graph_" | "cluster_" if !number.is_empty() => {
                let known = graphs.iter().position(|graph| *graph == number);
                let place = known.unwrap_or_else(|| {
                    graphs.push(number);
                    graphs.len() - 1
                });
                normal.push_str(&place.to_string());
            }
            "0x" if number.len() == 16 && number.contains(|c| c != '0') => normal.push('*'),
            "topoId: " | "Conditional Handle|" => normal.push('*'),
            _ => normal.push_str(number),
        }
    }
    normal + rest
}
