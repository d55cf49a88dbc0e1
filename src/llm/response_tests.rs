use super::*;

fn head(status: u16, content_type: &str) -> Head {
    Head {
        status,
        content_type: content_type.into(),
        url: "http://h/v1/chat/completions".into(),
        model: "m".into(),
        ..Head::default()
    }
}

fn read(head: Head, pieces: &[&str]) -> (Vec<Delta>, Result<Completion, LlmError>) {
    let mut reader = Reader::new(head);
    let mut deltas = Vec::new();
    for piece in pieces {
        match reader.feed(piece.as_bytes()) {
            Ok(found) => deltas.extend(found),
            Err(error) => return (deltas, Err(error)),
        }
    }
    (deltas, reader.finish())
}

fn events(data: &[&str]) -> Result<Completion, LlmError> {
    let text: String = data.iter().map(|data| format!("data: {data}\n\n")).collect();
    read(head(200, "text/event-stream"), &[&text]).1
}

const HELLO: &str =
    r#"{"model": "m-1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}}]}"#;
const LO: &str = r#"{"choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": null}]}"#;
const STOP: &str = r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}"#;
const USAGE: &str = r#"{"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 2}}"#;

#[test]
fn a_stream_becomes_an_answer() {
    let answer = events(&[HELLO, LO, STOP, USAGE, "[DONE]"]).unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("Hello", Finish::Stop));
    assert_eq!(answer.usage, Some(Usage { prompt: 12, completion: 2 }));
    assert_eq!(answer.model.as_deref(), Some("m-1"));
    let (deltas, _) = read(head(200, ""), &["data: ", HELLO, "\n\ndata: ", LO, "\n\n"]);
    assert_eq!(deltas, [Delta::Text("Hel".into()), Delta::Text("lo".into())]);
    // An end without [DONE], and without its last empty line.
    assert_eq!(events(&[HELLO, STOP]).unwrap().text, "Hel");
    let (_, last) = read(head(200, "text/event-stream"), &["data: ", HELLO, "\n\ndata: [DONE]"]);
    assert_eq!(last.unwrap().text, "Hel");
}

#[test]
fn reasoning_and_log_probabilities_are_kept_apart() {
    let answer = events(&[
        r#"{"choices": [{"delta": {"reasoning_content": "hm"}}]}"#,
        r#"{"choices": [{"delta": {"content": "A"}, "logprobs": {"content": [
            {"token": "A", "logprob": -0.5, "top_logprobs": [{"token": "A", "logprob": -0.5}, {"token": "B", "logprob": -1}]}]}}]}"#
            .replace('\n', " ")
            .as_str(),
        STOP,
    ])
    .unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("A", "hm"));
    assert_eq!(answer.logprobs[0].top[1], ("B".to_owned(), -1.0));
    let thought = events(&[
        r#"{"choices": [{"delta": {"reasoning": "hm"}}]}"#,
        r#"{"choices": [{"delta": {}, "finish_reason": "length"}]}"#,
    ]);
    assert_eq!(thought, Err(LlmError::Empty { thought: true }));
}

#[test]
fn a_text_that_is_gone_on_with_is_read_too() {
    let piece = r#"{"choices": [{"index": 0, "text": " FROM t", "logprobs": {"content": [{"token": " FROM", "logprob": -0.5}]}}]}"#;
    let older = r#"{"choices": [{"index": 0, "text": ";", "logprobs": {"tokens": [";"], "token_logprobs": [-1.5],
        "top_logprobs": [{" WHERE": -2.0, ";": -1.5}]}, "finish_reason": "stop"}]}"#;
    let answer = events(&[piece, older.replace('\n', " ").as_str(), "[DONE]"]).unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), (" FROM t;", Finish::Stop));
    assert_eq!((answer.logprobs[0].logprob, answer.logprobs[1].logprob), (-0.5, -1.5));
    assert_eq!(answer.logprobs[1].top, [(";".to_owned(), -1.5), (" WHERE".to_owned(), -2.0)]);
}

#[test]
fn one_json_object_is_an_answer_too() {
    let json = r#"{"choices": [{"message": {"content": [{"type": "text", "text": "Hi"}]}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1}}"#;
    for content_type in ["application/json", "", "text/plain"] {
        assert_eq!(read(head(200, content_type), &[&json[..30], &json[30..]]).1.unwrap().text, "Hi");
    }
    assert_eq!(read(head(200, "application/json"), &[&json[..30]]).1, Err(LlmError::CutStream(0)));
    for other in ["<!doctype html><html>", r#"{"hello": "world"}"#] {
        assert!(matches!(read(head(200, ""), &[other]).1, Err(LlmError::NotAnApi(_))), "{other}");
    }
}

#[test]
fn what_goes_wrong_in_a_stream_is_told_apart() {
    assert_eq!(events(&[HELLO, LO]), Err(LlmError::CutStream(5)));
    let (_, cut) = read(head(200, "text/event-stream"), &["data: ", HELLO, "\n\ndata: {\"choi"]);
    assert_eq!(cut, Err(LlmError::CutStream(3)));
    assert_eq!(events(&[STOP, "[DONE]"]), Err(LlmError::Empty { thought: false }));
    assert_eq!(events(&[]), Err(LlmError::Empty { thought: false }));
    assert!(matches!(events(&[HELLO, "nonsense"]), Err(LlmError::Malformed(_))));
    let error = events(&[HELLO, r#"{"error": {"code": 400, "message": "context size exceeded"}}"#]);
    assert!(matches!(error, Err(LlmError::TooLong(_))), "{error:?}");
}

#[test]
fn an_answer_without_end_is_stopped() {
    let mut reader = Reader::new(head(200, "text/event-stream"));
    let piece = format!("data: {LO}\n\n").repeat(500);
    let mut stopped = None;
    for _ in 0..5_000 {
        if let Err(error) = reader.feed(piece.as_bytes()) {
            stopped = Some(error);
            break;
        }
    }
    assert!(matches!(stopped, Some(LlmError::Endless(_))), "{stopped:?}");
    let mut reader = Reader::new(head(200, "text/event-stream"));
    let stopped = (0..100).find_map(|_| reader.feed(&[b' '; 1 << 20]).err());
    assert!(matches!(stopped, Some(LlmError::Endless(_))), "{stopped:?}");
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let limited = |after: &str, date: Option<&str>| {
        let head = Head { retry_after: Some(after.into()), date: date.map(str::to_owned), ..head(429, "") };
        match read(head, &["slow down"]).1 {
            Err(LlmError::RateLimited { retry_after_s, message }) => (retry_after_s, message),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(limited("12", None), (Some(12), "slow down".into()));
    assert_eq!(limited("0.4", None).0, Some(1));
    let now = Some("Sat, 29 Feb 2020 23:59:50 GMT");
    assert_eq!(limited("Sun, 01 Mar 2020 00:00:20 GMT", now).0, Some(30));
    assert_eq!(limited("Sat, 29 Feb 2020 23:00:00 GMT", now).0, Some(0));
    assert_eq!(limited("soon", now).0, None);
}

proptest::proptest! {
    #[test]
    fn any_split_gives_the_same_answer(cuts in proptest::collection::vec(0_usize..400, 0..8)) {
        let text: String = [HELLO, LO, STOP, USAGE, "[DONE]"].iter().map(|d| format!("data: {d}\r\n\r\n")).collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let (deltas, answer) = read(head(200, "text/event-stream"), &pieces);
        proptest::prop_assert_eq!(deltas.len(), 2);
        proptest::prop_assert_eq!(answer, events(&[HELLO, LO, STOP, USAGE, "[DONE]"]));
    }

    #[test]
    fn any_answer_is_read_or_refused(status in 100_u16..600, bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
        for content_type in ["", "text/event-stream", "application/json"] {
            let mut reader = Reader::new(head(status, content_type));
            if reader.feed(&bytes).is_ok() {
                let _ = reader.finish();
            }
        }
    }
}

#[test]
fn half_a_character_does_not_lose_the_answer() {
    let half = r#"{"choices": [{"index": 0, "delta": {"content": "a\ud83d"}}]}"#;
    let other = r#"{"choices": [{"index": 0, "delta": {"content": "\ude00b \\ud83d \ud83d\ude00 \u00e9"}}]}"#;
    let answer = events(&[half, other, STOP, "[DONE]"]).unwrap();
    assert_eq!(answer.text, "a\u{fffd}\u{fffd}b \\ud83d 😀 é");
}

#[test]
fn a_redirect_is_said_and_not_followed() {
    for status in [301, 302, 307, 308] {
        let found = read(head(status, "text/html"), &["<html>"]).1;
        assert!(matches!(found, Err(LlmError::Redirected(_))), "{status}: {found:?}");
    }
}
