use super::*;

fn tasks() -> Vec<Task> {
    read_tasks(
        br#"[{"question_id": 7, "db_id": "d", "question": "q", "SQL": "SELECT 1", "x": [1],
              "history_knowledge": {"a = <val>": [3, "4"]}, "knowledge_types": {"a = <val>": "Condition"}},
             {"question_id": 9, "db_id": "d", "question": "r", "query": "SELECT 2"}]"#,
    )
    .unwrap()
}

#[test]
fn tasks_on_the_open_database_come_alone() {
    let task = |db_id: &str| Task { db_id: db_id.to_owned(), ..Task::default() };
    let all = || vec![task("cars"), task("Ships"), task("cars")];
    let (ours, others) = of_database(all(), "ships");
    assert_eq!((ours, others), (vec![task("Ships")], 2));
    assert_eq!(of_database(all(), "my ferries"), (all(), 0));
}

#[test]
fn tasks_of_every_format_are_read() {
    let tasks = tasks();
    assert_eq!(
        tasks[0].knowledge,
        [Required {
            skeleton: "a = <val>".into(),
            kind: Some(ComponentType::Condition),
            sources: vec![3, 4]
        }]
    );
    assert_eq!((tasks[1].question_id, tasks[1].gold.as_str()), (9, "SELECT 2"));
}

#[test]
fn lines_of_wikisql_and_livesqlbench_are_read() {
    let wiki =
        r#"{"phase": 1, "table_id": "1-2", "question": "q", "sql": {"sel": 3, "conds": [], "agg": 0}}"#;
    let tasks = read_tasks(format!("{wiki}\n{wiki}\n").as_bytes()).unwrap();
    assert_eq!((tasks.len(), tasks[1].question_id, tasks[1].db_id.as_str()), (2, 1, WIKISQL));
    assert_eq!(tasks[0].table.as_deref(), Some("1-2"));
    assert!(tasks[0].gold.contains("\"sel\":3"), "{}", tasks[0].gold);
    let said = "{\"query\": {\"sel\": 1, \"agg\": 0, \"conds\": []}}\n{\"error\": \"none\"}\n";
    let predictions = read_predictions(said.as_bytes(), &tasks).unwrap();
    assert!(predictions[0].as_ref().unwrap().contains("\"sel\":1") && predictions[1].is_none());

    let live = r#"{"instance_id": "alien_1", "selected_database": "alien", "query": "q",
        "sol_sql": ["SELECT 1"], "conditions": {"decimal": 2, "order": true}}"#;
    let tasks = read_tasks(format!("[{live}]").as_bytes()).unwrap();
    assert_eq!(
        (tasks[0].db_id.as_str(), tasks[0].gold.as_str(), tasks[0].ordered),
        ("alien", "SELECT 1", true)
    );
}

#[test]
fn errors_name_the_place_and_the_field() {
    let said = |json: &str| read_tasks(json.as_bytes()).unwrap_err().to_string();
    assert!(said("{").contains("not JSON"));
    assert!(said("{}").contains("not a list"));
    assert_eq!(said(r#"[{"db_id": "d", "question": "q"}]"#), "Task 0 (counting from 0): \"SQL\" is missing.");
    assert!(said(r#"[{"db_id": 1, "question": "q", "SQL": "x"}]"#).contains("\"db_id\" is not a text"));
    assert!(said("[3]").contains("not an object"));
    assert!(read_tasks(&[0xff]).is_err());
}

#[test]
fn predictions_of_every_form_are_read() {
    let tasks = tasks();
    let read = |text: &str| read_predictions(text.as_bytes(), &tasks);
    let both = Ok(vec![Some("SELECT 1".to_owned()), Some("SELECT 2".to_owned())]);
    assert_eq!(read("{\"7\": \"SELECT 1\\t----- bird -----\\td\", \"9\": \"SELECT 2\"}"), both);
    assert_eq!(read("{\"0\": \"SELECT 1\", \"1\": \"SELECT 2\"}"), both);
    assert_eq!(read("[\"SELECT 1\", \"SELECT 2\"]"), both);
    assert_eq!(
        read("[{\"question_id\": 9, \"SQL\": \"SELECT 2\"}, {\"question_id\": 7, \"sql\": \"SELECT 1\"}]"),
        both
    );
    assert_eq!(read("SELECT 1\td\nSELECT 2\n\n"), both);
    assert_eq!(read("{\"0\": 5, \"1\": \"SELECT 2\"}"), Ok(vec![None, Some("SELECT 2".to_owned())]));
    for empty in ["", "[]", "{}", "{\"0\": 5}", "[{\"answer\": \"SELECT 1\"}]"] {
        assert!(read(empty).unwrap_err().to_string().contains("no SQL for any task"), "{empty}");
    }
    assert!(read("{\"12\": \"x\"}").is_err());
    assert!(read("a\nb\nc\n").is_err());
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = read_tasks(&bytes);
        let _ = read_predictions(&bytes, &[Task::default()]);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[{\"a-z0-9:, \t\n}\\]]{0,60}") {
        let _ = read_tasks(text.as_bytes());
        let _ = read_predictions(text.as_bytes(), &[Task::default()]);
    }
}
