//! The `SIGN` section: a signature of the contents of a bundle.
//!
//! ```text
//! 0    scheme      u32       2: Ed25519
//! 4    reserved    u32       0
//! 8    public key  32 bytes
//! 40   signature   64 bytes  of the digest of the contents
//! ```

/// Length in bytes of the section.
pub const SIGNATURE_LEN: u64 = 104;

/// The one scheme: Ed25519 (RFC 8032). Number 1 left out header and section table, and is refused.
pub const SIGNATURE_SCHEME: u32 = 2;
