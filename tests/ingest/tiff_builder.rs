//! Small TIFFs of any kind, sound or not, byte by byte.

use std::io::Write;

/// A TIFF of one strip or of tiles of 16 × 16, changed at will before it is written.
#[derive(Clone)]
pub struct Tiff {
    pub width: u32,
    pub height: u32,
    pub big_endian: bool,
    pub big_tiff: bool,
    pub tiled: bool,
    pub rows_per_strip: u32,
    pub bits: u16,
    /// 1 unsigned, 2 signed, 3 floating point.
    pub format: u16,
    /// 1 none, 8 deflate.
    pub compression: u16,
    pub predictor: u16,
    /// Interleaved, sample by sample.
    pub bands: u32,
    /// Row by row.
    pub samples: Vec<f64>,
    /// Further tags, or others in place of the usual ones.
    pub tags: Vec<(u16, Value)>,
    /// The image after this one, in the same byte order and kind of file.
    pub next: Option<Box<Self>>,
}

/// A tag's values.
#[derive(Clone)]
pub enum Value {
    Short(Vec<u16>),
    Long(Vec<u32>),
    Double(Vec<f64>),
    Ascii(&'static str),
}

const TILE: u32 = 16;

impl Tiff {
    /// Unsigned 16-bit samples in one strip.
    pub fn new(width: u32, height: u32, samples: Vec<f64>) -> Self {
        Self {
            width,
            height,
            big_endian: false,
            big_tiff: false,
            tiled: false,
            rows_per_strip: height,
            bits: 16,
            format: 1,
            compression: 1,
            predictor: 1,
            bands: 1,
            samples,
            tags: Vec::new(),
            next: None,
        }
    }

    /// A mask of 1 bit a sample, as GDAL keeps it behind a raster.
    pub fn mask(width: u32, height: u32, is_there: Vec<bool>) -> Self {
        let samples = is_there.into_iter().map(f64::from).collect();
        let mut mask = Self::new(width, height, samples)
            .tag(254, Value::Long(vec![4]))
            .tag(262, Value::Short(vec![4]));
        (mask.bits, mask.compression) = (1, 8);
        mask
    }

    pub fn tag(mut self, tag: u16, value: Value) -> Self {
        self.tags.push((tag, value));
        self
    }

    pub fn build(&self) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend(if self.big_endian { b"MM" } else { b"II" });
        let version = if self.big_tiff { 43 } else { 42 };
        self.number(&mut file, version, 2);
        let pointer = if self.big_tiff { 8 } else { 4 };
        if self.big_tiff {
            self.number(&mut file, 8, 2);
            self.number(&mut file, 0, 2);
        }
        let directory_at = file.len();
        self.number(&mut file, 0, pointer);
        let next_at = self.write_image(&mut file, directory_at);
        if let Some(next) = &self.next {
            next.write_image(&mut file, next_at);
        }
        file
    }

    /// Writes samples and directory of the image, and its place where `directory_at` says. Returns where that of the
    /// next image has to be written.
    fn write_image(&self, file: &mut Vec<u8>, directory_at: usize) -> usize {
        let pointer = if self.big_tiff { 8 } else { 4 };
        let (mut offsets, mut counts) = (Vec::new(), Vec::new());
        for chunk in self.chunks() {
            offsets.push(file.len() as u32);
            counts.push(chunk.len() as u32);
            file.extend(chunk);
        }
        let mut tags = vec![
            (256, Value::Long(vec![self.width])),
            (257, Value::Long(vec![self.height])),
            (258, Value::Short(vec![self.bits])),
            (259, Value::Short(vec![self.compression])),
            (262, Value::Short(vec![1])),
            (277, Value::Short(vec![1])),
            (317, Value::Short(vec![self.predictor])),
            (339, Value::Short(vec![self.format])),
        ];
        if self.tiled {
            tags.push((322, Value::Long(vec![TILE])));
            tags.push((323, Value::Long(vec![TILE])));
            tags.push((324, Value::Long(offsets)));
            tags.push((325, Value::Long(counts)));
        } else {
            tags.push((273, Value::Long(offsets)));
            tags.push((278, Value::Long(vec![self.rows_per_strip])));
            tags.push((279, Value::Long(counts)));
        }
        tags.retain(|(tag, _)| self.tags.iter().all(|(other, _)| other != tag));
        tags.extend(self.tags.iter().cloned());
        tags.sort_by_key(|(tag, _)| *tag);

        let mut entries = Vec::new();
        for (tag, value) in &tags {
            let (field_type, count, bytes) = self.encode(value);
            self.number(&mut entries, u64::from(*tag), 2);
            self.number(&mut entries, field_type, 2);
            self.number(&mut entries, count, pointer);
            let mut field = bytes;
            if field.len() > pointer {
                let at = file.len() as u64;
                file.extend(field);
                field = Vec::new();
                self.number(&mut field, at, pointer);
            }
            field.resize(pointer, 0);
            entries.extend(field);
        }
        let directory = file.len() as u64;
        let mut field = Vec::new();
        self.number(&mut field, directory, pointer);
        file[directory_at..directory_at + pointer].copy_from_slice(&field);
        self.number(file, tags.len() as u64, if self.big_tiff { 8 } else { 2 });
        file.extend(entries);
        let next_at = file.len();
        self.number(file, 0, pointer);
        next_at
    }

    fn number(&self, to: &mut Vec<u8>, n: u64, bytes: usize) {
        if self.big_endian {
            to.extend(&n.to_be_bytes()[8 - bytes..]);
        } else {
            to.extend(&n.to_le_bytes()[..bytes]);
        }
    }

    fn encode(&self, value: &Value) -> (u64, u64, Vec<u8>) {
        let mut bytes = Vec::new();
        match value {
            Value::Short(v) => {
                v.iter()
                    .for_each(|n| self.number(&mut bytes, u64::from(*n), 2));
                (3, v.len() as u64, bytes)
            }
            Value::Long(v) => {
                v.iter()
                    .for_each(|n| self.number(&mut bytes, u64::from(*n), 4));
                (4, v.len() as u64, bytes)
            }
            Value::Double(v) => {
                v.iter()
                    .for_each(|n| self.number(&mut bytes, n.to_bits(), 8));
                (12, v.len() as u64, bytes)
            }
            Value::Ascii(text) => {
                bytes.extend(text.as_bytes());
                bytes.push(0);
                (2, bytes.len() as u64, bytes)
            }
        }
    }

    fn chunks(&self) -> Vec<Vec<u8>> {
        let bands = self.bands;
        // Of columns that are those of bands.
        let sample = |x: u32, y: u32| {
            if x < self.width * bands && y < self.height {
                self.samples[(y * self.width * bands + x) as usize]
            } else {
                0.0
            }
        };
        let mut chunks = Vec::new();
        if self.tiled {
            for top in (0..self.height).step_by(TILE as usize) {
                for left in (0..self.width).step_by(TILE as usize) {
                    let rows = (top..top + TILE).map(|y| {
                        (left * bands..(left + TILE) * bands)
                            .map(|x| sample(x, y))
                            .collect()
                    });
                    chunks.push(self.chunk(rows));
                }
            }
        } else {
            for top in (0..self.height).step_by(self.rows_per_strip as usize) {
                let rows = (top..self.height.min(top + self.rows_per_strip))
                    .map(|y| (0..self.width * bands).map(|x| sample(x, y)).collect());
                chunks.push(self.chunk(rows));
            }
        }
        chunks
    }

    fn chunk(&self, rows: impl Iterator<Item = Vec<f64>>) -> Vec<u8> {
        let mut plain = Vec::new();
        for row in rows {
            let words: Vec<u64> = row.iter().map(|v| self.word(*v)).collect();
            plain.extend(self.row(&words));
        }
        if self.compression == 1 {
            return plain;
        }
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&plain).unwrap();
        encoder.finish().unwrap()
    }

    /// A sample's bits.
    fn word(&self, v: f64) -> u64 {
        match (self.format, self.bits) {
            (3, 32) => u64::from((v as f32).to_bits()),
            (3, 64) => v.to_bits(),
            (3, 16) => half(v),
            (1, _) => v as u64,
            _ => v as i64 as u64,
        }
    }

    /// TIFF 6.0 section 14 for predictor 2, Adobe's technical note 3 for predictor 3.
    fn row(&self, words: &[u64]) -> Vec<u8> {
        if self.bits == 1 {
            let byte = |bits: &[u64]| {
                (0..)
                    .zip(bits)
                    .map(|(i, bit)| (*bit as u8) << (7 - i))
                    .sum()
            };
            return words.chunks(8).map(byte).collect();
        }
        let bytes = usize::from(self.bits / 8);
        let mut row = Vec::new();
        match self.predictor {
            1 => words.iter().for_each(|w| self.number(&mut row, *w, bytes)),
            2 => {
                let bands = self.bands as usize;
                let before = [0].iter().cycle().take(bands).chain(words);
                for (word, last) in words.iter().zip(before) {
                    self.number(
                        &mut row,
                        word.wrapping_sub(*last) << (64 - bytes * 8) >> (64 - bytes * 8),
                        bytes,
                    );
                }
            }
            _ => {
                for byte in (0..bytes).rev() {
                    row.extend(words.iter().map(|w| (w >> (8 * byte)) as u8));
                }
                let bands = self.bands as usize;
                for i in (bands..row.len()).rev() {
                    row[i] = row[i].wrapping_sub(row[i - bands]);
                }
            }
        }
        row
    }
}

/// A whole number below 2048, or 0, as a half float.
fn half(v: f64) -> u64 {
    if v == 0.0 {
        return 0;
    }
    let exponent = v.log2().floor();
    let mantissa = (v / exponent.exp2() - 1.0) * 1024.0;
    ((exponent + 15.0) as u64) << 10 | mantissa as u64
}
