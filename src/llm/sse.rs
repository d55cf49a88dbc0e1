//! Server-sent events, decoded from bytes as they arrive (WHATWG HTML, section 9.2).

/// Bytes that one line may have; a longer one is an answer without end.
const LONGEST_LINE: usize = 1 << 20;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its type; empty for a plain message.
    pub name: String,
    /// Its data lines, joined by line feeds.
    pub data: String,
}

/// A line had more than a mebibyte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a line of the stream has no end")]
pub struct EndlessLine;

/// Decodes a stream that is cut into pieces anywhere, also inside a character or between CR and LF.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    /// Whether the last byte was a CR, so that a LF after it ends no second line.
    after_cr: bool,
    started: bool,
    name: String,
    data: Option<String>,
}

impl Decoder {
    /// The events that end in `bytes`.
    ///
    /// # Errors
    /// When a line grows beyond a mebibyte; the decoder is then of no more use.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, EndlessLine> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
            match byte {
                b'\n' if after_cr => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ if self.line.len() >= LONGEST_LINE => return Err(EndlessLine),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    /// The event that the stream ended in, where its last lines were not followed by an empty one.
    pub fn finish(mut self) -> Option<Event> {
        let whole = self.end_line();
        whole.or_else(|| self.dispatch())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = if self.started { &line[..] } else { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) };
        self.started = true;
        if line.is_empty() {
            return self.dispatch();
        }
        let text = String::from_utf8_lossy(line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => value.clone_into(&mut self.name),
            // Comments begin with a colon; other fields mean nothing here.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        self.data.take().map(|data| Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Vec<Event> {
        let mut decoder = Decoder::default();
        let mut events: Vec<Event> = pieces.iter().flat_map(|piece| decoder.feed(piece).unwrap()).collect();
        events.extend(decoder.finish());
        events
    }

    fn data(text: &str) -> Vec<String> {
        decode(&[text.as_bytes()]).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn every_line_end_and_field_is_read() {
        assert_eq!(data("data: a\n\ndata:b\r\n\r\ndata: c\r\rdata: d"), ["a", "b", "c", "d"]);
        assert_eq!(
            data("\u{feff}: hello\n\ndata: one\ndata:  two\nid: 7\nretry: 3\n\n: bye\n\n"),
            ["one\n two"]
        );
        assert_eq!(data("data\n\n"), [""]);
        assert_eq!(data("\n\n\r\n"), Vec::<String>::new());
        let named = decode(&[b"event: error\ndata: x\n\ndata: y\n\n"]);
        assert_eq!((named[0].name.as_str(), named[1].name.as_str()), ("error", ""));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut decoder = Decoder::default();
        let piece = vec![b'x'; 1 << 16];
        let refused = (0..100).find_map(|_| decoder.feed(&piece).err());
        assert_eq!(refused, Some(EndlessLine));
    }

    fn stream() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("data: "),
            Just("data:"),
            Just(": "),
            Just("event: x"),
            Just("\n"),
            Just("\r\n"),
            Just("\r"),
            Just("\n\n"),
            Just("\r\n\r\n"),
            Just("{\"a\": \"é船\"}"),
            Just("[DONE]"),
            Just("\u{feff}"),
            Just(" "),
        ];
        proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_events(text in stream(), cuts in proptest::collection::vec(any::<usize>(), 0..12)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let singles: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(decode(&pieces), decode(&[bytes]));
            prop_assert_eq!(decode(&singles), decode(&[bytes]));
        }

        #[test]
        fn any_bytes_are_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            decode(&[&bytes]);
        }
    }
}
