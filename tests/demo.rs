//! scratch
#[test]
#[ignore = "writes the database into the folder in DEMO_OUT"]
fn remake() {
    let out = std::path::PathBuf::from(std::env::var("DEMO_OUT").unwrap());
    querylore::demo::write_database(&out.join("norhaven.sqlite")).unwrap();
}
