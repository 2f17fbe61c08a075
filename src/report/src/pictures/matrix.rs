//! The outcomes of a campaign: a row for each configuration, a column for each class, and darker where there are more.

use std::fmt::Write;

use super::{count, escaped, percent};
use crate::CampaignOutcomes;

/// The matrix as a section of the page.
pub(crate) fn matrix(outcomes: &CampaignOutcomes) -> String {
    let CampaignOutcomes { programs, classes, rows, .. } = outcomes;
    let most = rows.iter().flat_map(|row| &row.counts).max().copied().unwrap_or_default().max(9);
    // A few of a kind are seen beside many of another.
    let depth = |value: u64| ((value + 1) as f64).ln();
    let mut text = format!(
        "<section class=wide><h2>Outcomes of {} programs that are not right</h2><table id=outcomes><thead><tr>\
         <th class=left>configuration</th>",
        count(*programs)
    );
    // Writing to a string cannot fail, here and below.
    for class in classes {
        let _ = write!(text, "<th>{}</th>", escaped(class));
    }
    text += "<th>bugs</th><th class=left>goes without</th></tr></thead><tbody>";
    for row in rows {
        let left_out = if row.left_out { " (left out)" } else { "" };
        let _ = write!(text, "<tr><td class=left>{}{left_out}</td>", escaped(&row.configuration));
        for value in &row.counts {
            let heat = percent(depth(*value), depth(most) * 1.5);
            let _ = match value {
                0 => write!(text, "<td class=none>0</td>"),
                value => {
                    write!(text, "<td class=heat style=\"--heat:{heat}\">{}</td>", count(*value))
                }
            };
        }
        let avoids = escaped(&row.avoids.join(", "));
        let _ = write!(text, "<td>{}</td><td class=left>{avoids}</td></tr>", count(row.bugs));
    }
    text + "</tbody></table></section>\n"
}
