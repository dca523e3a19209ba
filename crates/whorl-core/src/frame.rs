//! What stands around and inside the body of an article: its title, the lines that name editors, authors and sources,
//! quotations and references. Rules of layout; nothing is looked up.

use std::ops::Range;

use crate::sentence::paragraphs_among;

/// What a stretch of a text is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The first line, where it is short, no sentence, and not alone.
    Title,
    /// Who wrote, edited or published the text: a short line, or brackets at the end.
    Byline,
    /// What stands between quotation marks, with them.
    Quotation,
    /// The list of sources at the end.
    Reference,
    /// What many texts have; known from elsewhere.
    Boilerplate,
}

impl Role {
    /// As users see it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Byline => "byline",
            Self::Quotation => "quotation",
            Self::Reference => "reference",
            Self::Boilerplate => "boilerplate",
        }
    }
}

/// The longest title or byline, in code points.
const LONGEST_LINE: usize = 80;
/// The longest title in scripts of characters.
const LONGEST_DENSE_LINE: usize = 40;
/// What bylines begin with, in lower case and without spaces.
const BYLINES: [&str; 36] = [
    "责任编辑",
    "責任編輯",
    "编辑",
    "編輯",
    "责编",
    "責編",
    "记者",
    "記者",
    "本报记者",
    "特约",
    "作者",
    "来源",
    "來源",
    "稿源",
    "文/",
    "文／",
    "文|",
    "图/",
    "图／",
    "通讯员",
    "校对",
    "审核",
    "编审",
    "原标题",
    "转载自",
    "转自",
    "by",
    "author",
    "editor",
    "editing",
    "edited",
    "reporting",
    "source:",
    "postedby",
    "words:",
    "producedby",
];
const REFERENCES: [&str; 9] = [
    "参考文献",
    "参考资料",
    "參考文獻",
    "參考資料",
    "引用文献",
    "references",
    "bibliography",
    "workscited",
    "notesandreferences",
];
const OPENING: [char; 8] = ['“', '「', '『', '《', '〝', '«', '„', '＂'];
const CLOSING: [char; 8] = ['”', '」', '』', '》', '〞', '»', '“', '＂'];

/// The stretches of `text` with a role, in order of their beginnings but for quotations, which come last. `signs` are
/// the places of all [`signs`](crate::scan::signs). Linear.
pub fn roles(text: &[u32], signs: &[u32]) -> Vec<(Role, Range<usize>)> {
    let mut roles = Vec::new();
    let signs = || signs.iter().map(|&place| place as usize);
    let lines = paragraphs_among(text, signs());
    for (number, line) in lines.iter().enumerate() {
        let inside = &text[line.clone()];
        if inside.len() <= LONGEST_DENSE_LINE && begins_with(inside, &REFERENCES) {
            roles.push((Role::Reference, line.start..lines[lines.len() - 1].end));
            break;
        }
        if is_byline(inside) {
            roles.push((Role::Byline, line.clone()));
        } else if number == 0 && lines.len() > 1 && is_title(inside) {
            roles.push((Role::Title, line.clone()));
        } else if let Some(start) = signature(inside) {
            roles.push((Role::Byline, line.start + start..line.end));
        }
    }
    quotations(text, signs(), &mut roles);
    roles
}

fn character(code_point: u32) -> char {
    char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_title(line: &[u32]) -> bool {
    let dense = line.iter().filter(|&&code_point| code_point >= 0x2E80).count();
    let longest = if 2 * dense > line.len() { LONGEST_DENSE_LINE } else { LONGEST_LINE };
    let last = line.last().map_or(' ', |&last| character(last));
    line.len() <= longest
        && !matches!(last, '。' | '，' | '；' | '：' | '、' | '.' | ',' | ';' | ':' | '”' | '"' | '）' | ')')
}

fn is_byline(line: &[u32]) -> bool {
    let is_sentence = || {
        let ends =
            line.iter().filter(|&&code_point| matches!(character(code_point), '。' | '，' | '！' | '？')).count();
        ends > 0
    };
    line.len() <= LONGEST_LINE && begins_with(line, &BYLINES) && !is_sentence()
}

/// True if a line, without brackets and spaces, begins with one of `words`.
fn begins_with(line: &[u32], words: &[&str]) -> bool {
    let signs = || {
        let signs = line.iter().map(|&code_point| character(code_point).to_ascii_lowercase());
        signs.filter(|&sign| {
            !(sign.is_whitespace() || matches!(sign, '(' | '（' | '[' | '【' | '〔' | '■' | '□' | '●' | '▲'))
        })
    };
    let begins =
        |word: &&str| word.chars().zip(signs()).filter(|(one, other)| one == other).count() == word.chars().count();
    let first = signs().next();
    words.iter().any(|word| word.chars().next() == first && begins(word))
        && !(first == Some('b') && line.get(2).is_some_and(|&next| next != u32::from(' ')))
}

/// Where the brackets begin that end a line and name its author or editor.
fn signature(line: &[u32]) -> Option<usize> {
    let (&last, before) = line.split_last()?;
    if !matches!(character(last), ')' | '）' | ']' | '】' | '〕') {
        return None;
    }
    let window = before.len().saturating_sub(LONGEST_LINE);
    let opens = |&at: &usize| matches!(character(before[at]), '(' | '（' | '[' | '【' | '〔');
    let start = (window..before.len()).rev().find(opens)?;
    begins_with(&line[start..], &BYLINES).then_some(start)
}

fn quotations(text: &[u32], signs: impl Iterator<Item = usize>, roles: &mut Vec<(Role, Range<usize>)>) {
    let mut open: Option<(usize, char)> = None;
    for offset in signs {
        if text[offset] == u32::from('\n') {
            open = None;
            continue;
        }
        let sign = character(text[offset]);
        match open {
            Some((start, closing)) if sign == closing => {
                roles.push((Role::Quotation, start..offset + 1));
                open = None;
            }
            None if sign == '"' => open = Some((offset, '"')),
            None => {
                let kind = OPENING.iter().position(|&opening| opening == sign);
                open = kind.map(|kind| (offset, CLOSING[kind]));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::signs;

    fn found(text: &str) -> Vec<(Role, String)> {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        let passage = |range: Range<usize>| text.chars().skip(range.start).take(range.len()).collect();
        let mut places = Vec::new();
        signs(&code_points, &mut places);
        roles(&code_points, &places).into_iter().map(|(role, range)| (role, passage(range))).collect()
    }

    #[test]
    fn titles_bylines_quotations_and_references_are_told_apart() {
        let text = "今天天气很好\n作者：某人\n他说：“很好。”真的。（责任编辑：某人）\n参考文献\n[1] 书";
        let expected = [
            (Role::Title, "今天天气很好"),
            (Role::Byline, "作者：某人"),
            (Role::Byline, "（责任编辑：某人）"),
            (Role::Reference, "参考文献\n[1] 书"),
            (Role::Quotation, "“很好。”"),
        ];
        assert_eq!(found(text), expected.map(|(role, text)| (role, text.into())));
    }

    #[test]
    fn sentences_are_neither_titles_nor_bylines() {
        assert_eq!(found("今天天气很好。\n记者今天在北京说，天气很好。\nBybit rose."), []);
        assert_eq!(found("Only one line"), []);
        assert_eq!(
            found("A headline\nBy Jane Doe\nHe \"left\" it."),
            [
                (Role::Title, "A headline".into()),
                (Role::Byline, "By Jane Doe".into()),
                (Role::Quotation, "\"left\"".into()),
            ]
        );
    }

    #[test]
    fn a_quotation_ends_with_its_paragraph_or_does_not_count() {
        assert_eq!(found("“没有完。\n完了”。"), []);
    }
}
