//! Checksums by page ([`viewcell::format::pages`]), computed while a file is written. No writer has to do anything for
//! them.

use std::io::{self, Write};

use viewcell::format::pages::PAGE;

/// Bytes of a bundle with its checksums by page, of which so many come before them; or slightly more.
pub(crate) const fn with_sums(bytes: u64) -> u64 {
    // A page that was begun is one, too.
    bytes + 4 * (bytes / PAGE as u64 + 1)
}

/// What writes the file, and the checksums of the pages that went through it.
#[derive(Debug)]
pub(super) struct Paged<W> {
    pub(super) inner: W,
    /// Where in the file it is.
    position: usize,
    page: crc32fast::Hasher,
    sums: Vec<u8>,
}

impl<W: Write> Paged<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            position: 0,
            page: crc32fast::Hasher::new(),
            sums: Vec::new(),
        }
    }

    /// Writes zeros that belong to no page, in the place of header and section table.
    pub(super) fn leave_room(&mut self, length: usize) -> io::Result<()> {
        self.inner.write_all(&vec![0; length])?;
        self.position += length;
        Ok(())
    }

    /// Takes in the bytes that come next.
    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = PAGE - self.position % PAGE;
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.page.update(now);
            self.position += now.len();
            bytes = later;
            if self.position.is_multiple_of(PAGE) {
                self.end_page();
            }
        }
    }

    fn end_page(&mut self) {
        let page = std::mem::take(&mut self.page);
        self.sums.extend(page.finalize().to_le_bytes());
    }

    /// The bytes of `PCRC`, if it begins here.
    pub(super) fn sums(&mut self) -> Vec<u8> {
        if !self.position.is_multiple_of(PAGE) {
            self.end_page();
        }
        std::mem::take(&mut self.sums)
    }
}

impl<W: Write> Write for Paged<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.take(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU8;
    use viewcell::format::pages::{Pages, page_count};

    #[test]
    fn pages_of_bytes_that_come_in_pieces_have_their_checksums() {
        let start = 104;
        for end in [start, start + 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 40] {
            let mut out = Paged::new(Vec::new());
            out.leave_room(start).unwrap();
            let bytes: Vec<u8> = (start..end).map(|i| (i * 7 + i / 300) as u8).collect();
            for piece in bytes.chunks(40_009) {
                out.write_all(piece).unwrap();
            }
            let sums = out.sums();
            let states: Vec<AtomicU8> = (0..page_count(end)).map(|_| AtomicU8::new(0)).collect();
            let pages = Pages::new(&out.inner, [start, end], &sums, &states).unwrap();
            pages.check_some(0, pages.count());
            assert_eq!(pages.found(), [pages.count(), 0], "{end}");
            assert!(with_sums(end as u64) >= (end + sums.len()) as u64);
        }
    }
}
