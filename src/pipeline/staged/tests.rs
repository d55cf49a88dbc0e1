use std::cell::RefCell;

use super::*;
use crate::llm::ask_tests::Scripted;
use crate::ports::blocking::block_on;

fn refused(name: &str) -> LlmError {
    LlmError::Parameter { name: name.to_owned(), message: String::new() }
}

#[test]
fn every_request_is_kept_in_its_stage_and_a_refused_parameter_is_not_sent_again() {
    // Answers are taken from the end.
    let answers = vec![
        Ok("{\"a\": 2}".to_owned()),
        Ok("no object".to_owned()),
        Ok("SELECT 1".to_owned()),
        Err(refused("seed")),
    ];
    let model = Scripted { answers: RefCell::new(answers), ..Scripted::default() };
    let settings = Settings { seed: Some(7), ..Settings::default() };
    let cancel = Cancel::default();
    let heard = RefCell::new(Vec::new());
    let hear = |event: &Heard<'_>| {
        if let Heard::Stage(name) = event {
            heard.borrow_mut().push((*name).to_owned());
        }
    };
    let talk = Talk::new(&model, &settings, &cancel, &hear);
    talk.stage("first");
    let sampling = Sampling { temperature: Some(0.7), sample: 3, ..Sampling::default() };
    let answer = block_on(talk.ask(vec![Message::user("q")], sampling)).unwrap();
    assert_eq!(answer.text, "SELECT 1");
    talk.stage("second");
    let number = block_on(talk.ask_json(vec![Message::user("json")], Sampling::default(), |json| {
        json["a"].as_i64().ok_or_else(|| "no a".to_owned())
    }));
    assert_eq!(number.unwrap(), 2);
    talk.note("2 it is.");
    let asked = model.asked.borrow().clone();
    assert_eq!((asked[0].seed, asked[0].temperature, &asked[0].leave_out), (Some(10), 0.7, &vec![]));
    assert!(asked[1..].iter().all(|request| request.leave_out == ["seed"]));
    let staged = talk.end(Err(Trouble::Model(LlmError::Cancelled)));
    assert_eq!(heard.into_inner(), ["first", "second"]);
    let kept: Vec<(&str, usize)> =
        staged.stages.iter().map(|stage| (stage.name.as_str(), stage.exchanges.len())).collect();
    assert_eq!(kept, [("first", 1), ("second", 2)]);
    assert_eq!(staged.stages[1].notes, ["2 it is."]);
}
