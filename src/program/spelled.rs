//! Verbs and options that are still understood, and by what they are said now: put there before anything is parsed.

use std::ffi::OsString;

/// Verbs that are an option of another: the words, and what they stand for.
const VERBS: &[([&str; 2], &[&str])] = &[
    (["export", "skyview"], &["export", "horizon", "--skyview"]),
    (["bake", "scene"], &["bake", "solid", "--hull=objects"]),
    (["query", "objects"], &["query", "pvs"]),
    // Which needs --reach.
    (["query", "within"], &["query", "visible"]),
];

/// Options that another says now, a line each: whose it was, or nothing; the option; the other; how the value is put there; and
/// the value of the other where that is not there. `{}` as such, or with something behind it, is the value of the other, else
/// it comes behind that value.
const OPTIONS: &str = "
query; --points; --pairs; {};
; --volume; --within; {};
bake; --split; --hull; ,{};
; --up; --from; {}-up;
; --refraction; --earth-curvature; ={};
; --weight; --budget; ,{};
; --vertical-offset; --vertical-scale; ,{}; 1
simulate; --queue; --bandwidth; ,{};
simulate; --rtt-spread; --rtt; ,spread={}; 0
simulate; --jitter; --rtt; ,jitter={}; 0
simulate; --acceleration; --speed; ,acceleration={};
simulate; --impulse; --speed; ,impulse={};
";

/// The arguments of the program with such words replaced.
pub fn spelled(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let words = |at: usize| arguments.get(at).and_then(|word| word.to_str());
    let has_reach = find(&arguments, "--reach").is_some();
    let is = |[verb, what]: &[&str; 2]| {
        (*what != "within" || has_reach) && words(1) == Some(*verb) && words(2) == Some(*what)
    };
    if let Some((_, now)) = VERBS.iter().find(|(words, _)| is(words)) {
        arguments.splice(1..3, now.iter().map(OsString::from));
    }
    const FLAGS: [(&str, &str, &str); 5] = [
        ("viewshed", "kind", "any"),
        ("viewshed", "kind", "count"),
        ("viewshed", "kind", "each"),
        ("viewshed", "kind", "all"),
        ("bake", "hull", "objects"),
    ];
    for (verb, option, flag) in FLAGS {
        if words_of(&arguments).nth(1) == Some(verb)
            && let Some(at) = find(&arguments, &format!("--{flag}"))
        {
            arguments[at] = format!("--{option}={flag}").into();
        }
    }
    for row in OPTIONS.trim().lines() {
        let mut parts = row.split(';').map(str::trim);
        let row = [(); 5].map(|()| parts.next().unwrap_or_default());
        while replace(&mut arguments, row).is_some() {}
    }
    arguments
}

/// The words before a `--`, and before one that is no text.
fn words_of(arguments: &[OsString]) -> impl Iterator<Item = &str> {
    let words = arguments.iter().map_while(|word| word.to_str());
    words.take_while(|word| *word != "--")
}

/// Where an option is, alone or with its value.
fn find(arguments: &[OsString], option: &str) -> Option<usize> {
    let is = |word: &str| {
        let rest = word.strip_prefix(option);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    words_of(arguments).position(is)
}

/// Does nothing where the option is not, nor where the other, behind whose value it belongs, is not: it is left to the
/// parser, which refuses it.
fn replace(arguments: &mut Vec<OsString>, [verb, option, by, how, alone]: [&str; 5]) -> Option<()> {
    let word = |at: usize| words_of(arguments).nth(at);
    if !verb.is_empty() && word(1) != Some(verb) {
        return None;
    }
    let at = find(arguments, option)?;
    let (length, value) = match word(at)?.split_once('=') {
        Some((_, value)) => (1, value),
        None => (2, word(at + 1)?),
    };
    let (put, other) = (how.replace("{}", value), find(arguments, by));
    if how.starts_with('{') || other.is_none() && !alone.is_empty() {
        let now = [by.into(), format!("{alone}{put}").into()];
        arguments.splice(at..at + length, now);
        return Some(());
    }
    // The value of the other is beside it, or follows; a curvature has none.
    let other = other?;
    let is_beside = how.starts_with('=') || word(other)?.contains('=');
    let of = if is_beside { other } else { other + 1 };
    word(of)?;
    arguments.get_mut(of)?.push(put);
    arguments.drain(at..at + length);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_word_says_is_still_understood() {
        const LINES: &str = "
export skyview a.tif => export horizon --skyview a.tif
query within a.vcb 1 2 --reach=3 => query visible a.vcb 1 2 --reach=3
query within a.vcb 1 2 => query within a.vcb 1 2
info within => info within
bake scene a.glb --volume 0,0,0,1,1,1 --volume=1,1,1,2,2,2 => bake solid --hull=objects a.glb --within 0,0,0,1,1,1 --within 1,1,1,2,2,2
bake scene a.glb --split 4 --cell=2 => bake solid --hull=objects,4 a.glb --cell=2
bake a.glb --split=4 --objects => bake a.glb --hull=objects,4
bake scene a.glb --cell=2 => bake solid --hull=objects a.glb --cell=2
query objects a.vcb 1,2,3 => query pvs a.vcb 1,2,3
query visible a.vcb --points b => query visible a.vcb --pairs b
bake solid a.obj --up=z -o b => bake solid a.obj --from z-up -o b
bake terrain a --earth-curvature --refraction 0.2 => bake terrain a --earth-curvature=0.2
bake terrain a --refraction 0.2 => bake terrain a --refraction 0.2
repack a --weight level --budget=9MB => repack a --budget=9MB,level
bake terrain a --vertical-offset -5 -o b => bake terrain a --vertical-scale 1,-5 -o b
bake terrain a --vertical-scale 2 --vertical-offset 5 => bake terrain a --vertical-scale 2,5
simulate a --speed 8 --impulse 3 --acceleration 2 => simulate a --speed 8,acceleration=2,impulse=3
simulate a --rtt 50,90 --rtt-spread 0.5 => simulate a --rtt 50,90,spread=0.5
simulate a --jitter 9 --rtt-spread 0.5 => simulate a --rtt 0,spread=0.5,jitter=9
bake terrain a -- --up z => bake terrain a -- --up z
viewshed a --count 1,2 => viewshed a --kind=count 1,2
viewshed a 1,2 --any => viewshed a 1,2 --kind=any";
        for row in LINES.trim().lines() {
            let (line, now) = row.split_once(" => ").unwrap();
            let words = ["viewcell"].into_iter().chain(line.split(' '));
            let spelled = spelled(words.map(OsString::from).collect());
            let spelled: Vec<&str> = spelled
                .iter()
                .skip(1)
                .filter_map(|word| word.to_str())
                .collect();
            assert_eq!(spelled.join(" "), now);
        }
    }
}
