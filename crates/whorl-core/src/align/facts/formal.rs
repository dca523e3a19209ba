//! Short formal texts: certificates, receipts, notices.
//!
//! Two certificates in the same words differ only in the name or the number that was filled in, so a single slot, even
//! a single character, makes them different documents. A reprint of an article with a corrected name is still the same
//! article. The strict rule therefore applies only to short texts with phrases of such documents.

use crate::align::letters::letters;

/// Maximum number of letters of a short formal text.
const LONGEST: u32 = 900;
/// Folded phrases that identify such a text at any position.
const PHRASES: [&str; 18] = [
    "兹证明",
    "特此证明",
    "特此通知",
    "特此公告",
    "特此通告",
    "特此声明",
    "特发此证",
    "特颁此证",
    "颁发此证",
    "以资鼓励",
    "兹聘请",
    "兹有",
    "今收到",
    "今借到",
    "今领到",
    "herebycertif",
    "istocertify",
    "noticeisherebygiven",
];
/// Phrases that identify it within [`BEGINNING`]; further on, they may be the subject of an article.
const TITLES: [&str; 21] = [
    "收据",
    "收条",
    "借条",
    "欠条",
    "通知书",
    "证明书",
    "荣誉证书",
    "毕业证书",
    "结业证书",
    "合格证书",
    "证书编号",
    "聘书",
    "准考证",
    "介绍信",
    "委托书",
    "传票",
    "certificateof",
    "receivedfrom",
    "receiptno",
    "ispresentedto",
    "isawardedto",
];
/// The closing phrase; in running text it is part of 因此据悉.
const ENDING: &str = "此据";
/// Length of a heading in folded letters; a Han character counts as three.
const BEGINNING: u32 = 60;

/// True if a folded text is short and formal. Linear in a short text.
pub(in crate::align) fn is_short_formal(units: &[u32]) -> bool {
    if units.len() > LONGEST as usize || letters(units) > LONGEST {
        return false;
    }
    let text: String = units.iter().filter_map(|&unit| char::from_u32(unit)).collect();
    let heading: String = {
        let end = (1..=units.len()).take_while(|&end| letters(&units[..end]) <= BEGINNING).last().unwrap_or(0);
        units[..end].iter().filter_map(|&unit| char::from_u32(unit)).collect()
    };
    PHRASES.iter().any(|phrase| text.contains(phrase))
        || TITLES.iter().any(|title| heading.contains(title))
        || text.ends_with(ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold_to_string;

    #[test]
    fn short_texts_that_say_what_they_are_are_formal() {
        let is_formal = |text: &str| {
            let folded: Vec<u32> = fold_to_string(text).chars().map(u32::from).collect();
            is_short_formal(&folded)
        };
        assert!(is_formal("茲證明張三同學於2023年完成學業。"));
        assert!(is_formal("This is to certify that Jane Doe has completed the course."));
        assert!(is_formal("收条。今天收下柴油两吨，此据。"));
        assert!(!is_formal("雾散之后，渡口又热闹起来。"));
        assert!(!is_formal(
            "雾散之后，渡口又热闹起来，码头上的人都知道这件事情，因此据悉有人递交了委托书，法院也发出了传票。"
        ));
        assert!(!is_formal("Shares are delisted promptly after the two companies file the certificate of merger."));
        assert!(!is_formal(&format!("兹证明张三到会。{}", "雾散之后，渡口又热闹起来。".repeat(30))));
    }
}
