//! A bundle that comes in piece by piece: what is wrong with it is known as early as can be, so that
//! what is damaged, or made to fill a disk, is not unpacked to its end.

use crate::format::header::HEADER_LEN;
use crate::format::{Header, Section, crc32};

/// A bundle of which the first bytes are there.
pub(super) struct Arriving {
    /// What its length should be.
    length: u64,
    /// Bytes that came.
    position: u64,
    /// Header and section table, as far as they came.
    head: Vec<u8>,
    header: Option<Header>,
    /// Sections that are not whole yet, with the checksums of what came of them.
    open: Vec<(Section, crc32fast::Hasher)>,
    has_table: bool,
    fault: Option<String>,
}

impl Arriving {
    /// A bundle of so many bytes, of which nothing has come.
    pub fn new(length: u64) -> Self {
        Self {
            length,
            position: 0,
            head: Vec::new(),
            header: None,
            open: Vec::new(),
            has_table: false,
            fault: None,
        }
    }

    /// What is wrong with it, if anything is so far.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The next bytes; errors where [`Arriving::fault`] says why.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.look(bytes).map_err(|fault| self.fault = Some(fault))
    }

    fn look(&mut self, bytes: &[u8]) -> Result<(), String> {
        if !self.has_table {
            let more = self.head_length().saturating_sub(self.head.len());
            self.head.extend(&bytes[..more.min(bytes.len())]);
            if self.header.is_none() && self.head.len() >= HEADER_LEN {
                self.read_header()?;
                // The table may be in the same piece.
                let more = self.head_length() - self.head.len();
                let from = bytes
                    .len()
                    .min(HEADER_LEN.saturating_sub(self.position as usize));
                let to = bytes.len().min(from + more);
                self.head.extend(&bytes[from..to]);
            }
            if self.header.is_some() && self.head.len() == self.head_length() {
                self.read_table()?;
            }
        }
        self.sum(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn head_length(&self) -> usize {
        let table = self.header.as_ref().map_or(0, Header::table_length);
        HEADER_LEN + table
    }

    fn read_header(&mut self) -> Result<(), String> {
        let header = Header::parse(&self.head).map_err(|error| error.to_string())?;
        if header.file_length != self.length {
            return Err(format!(
                "expected a bundle of {} bytes in it, found one that declares {}",
                self.length, header.file_length
            ));
        }
        self.header = Some(header);
        Ok(())
    }

    fn read_table(&mut self) -> Result<(), String> {
        let table = &self.head[HEADER_LEN..];
        let expected = self.header.as_ref().map(|header| header.table_checksum);
        if expected != Some(crc32(table)) {
            return Err("expected another section table by its checksum".into());
        }
        let mut all = 0_u64;
        for section in Section::parse_table(table) {
            let checked = section.check(self.length);
            checked.map_err(|error| error.to_string())?;
            if section.offset < self.head.len() as u64 {
                all = u64::MAX;
            }
            all = all.saturating_add(section.stored_length);
            self.open.push((section, crc32fast::Hasher::new()));
        }
        if all > self.length {
            return Err("expected sections one after the other, found some that overlap".into());
        }
        self.has_table = true;
        Ok(())
    }

    /// Takes the checksums of sections that `bytes`, which come at `position`, are of.
    fn sum(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (from, to) = (self.position, self.position + bytes.len() as u64);
        for (section, sum) in &mut self.open {
            let end = section.offset.saturating_add(section.stored_length);
            let (first, last) = (section.offset.max(from), end.min(to));
            if first < last {
                sum.update(&bytes[(first - from) as usize..(last - from) as usize]);
            }
            if end <= to && sum.clone().finalize() != section.checksum {
                return Err(format!(
                    "section {}: expected other bytes by its checksum",
                    section.tag
                ));
            }
        }
        self.open
            .retain(|(section, _)| section.offset.saturating_add(section.stored_length) > to);
        Ok(())
    }
}
