//! The timetable: a summer and a winter edition of every trip.

use super::calendar::Day;
use super::company::{ROUTES, Route};

/// One trip of the timetable.
pub struct Trip {
    /// Number within the line: summer from 1, winter from 101.
    pub trip_no: i64,
    /// Position of its route in [`ROUTES`].
    pub route: usize,
    /// `S` summer or `W` winter.
    pub per: &'static str,
    /// Seven digits, Monday first, 1 where it sails.
    pub dow: &'static str,
    /// First pier.
    pub from: &'static str,
    /// Last pier.
    pub to: &'static str,
    /// Minutes after the midnight that begins the operating day; 1440 and more is the night that follows.
    pub dep_min: i64,
    /// Planned minutes.
    pub run_min: i64,
    /// Metres.
    pub dist_m: i64,
}

impl Trip {
    /// The route it belongs to.
    pub fn route(&self) -> &'static Route {
        ROUTES.get(self.route).unwrap_or(&ROUTES[0])
    }

    /// `H/12`, as tickets and the timetable name it.
    pub fn key(&self) -> String {
        format!("{}/{}", self.route().line, self.trip_no)
    }

    /// Whether it is planned for that day.
    pub fn sails(&self, day: Day) -> bool {
        let edition = if day.summer_timetable() { "S" } else { "W" };
        let weekday = usize::try_from(day.weekday()).unwrap_or(0);
        self.per == edition && self.dow.as_bytes().get(weekday) == Some(&b'1')
    }
}

const WORKDAYS: &str = "1111100";
const WEEKEND: &str = "0000011";
const DAILY: &str = "1111111";

/// Route code, days, departures in minutes after midnight, and whether there is a winter edition.
const DEPARTURES: [(&str, &str, &[i64], bool); 17] = [
    ("HL", WORKDAYS, &[420, 480, 540, 660, 780, 960, 1020, 1110], true),
    ("HL", WEEKEND, &[600, 690, 780, 870, 960], true),
    ("HX", WORKDAYS, &[430, 460, 500, 970, 1000, 1040], true),
    ("HX", WEEKEND, &[600, 720], true),
    ("YT", WORKDAYS, &[345, 1320], true),
    ("AX", WORKDAYS, &[330, 440, 510, 720, 980, 1060, 1200], true),
    ("AX", WEEKEND, &[480, 720, 960, 1140], true),
    ("AN", "0000110", &[1405, 1450, 1510], true),
    ("IL", WORKDAYS, &[450, 640, 990, 1130], true),
    ("IL", WEEKEND, &[570, 700, 890, 1090], true),
    ("VE", DAILY, &[415, 965], true),
    ("SK", DAILY, &[585, 850], false),
    ("SB", WORKDAYS, &[425, 485, 975, 1035, 1080], true),
    ("SB", WEEKEND, &[620, 1010], true),
    ("FJ", DAILY, &[530, 1000], true),
    ("FJ", WEEKEND, &[780], false),
    ("LH", "0000111", &[630, 830], false),
];

/// Every trip, by edition and then by line as in the printed timetable.
pub fn trips() -> Vec<Trip> {
    let mut trips = Vec::new();
    for (per, first, later, slower) in [("S", 1, 0, 0), ("W", 101, 5, 3)] {
        for line in ["H", "A", "N", "S"] {
            let mut trip_no = first;
            for (code, dow, departures, winter) in DEPARTURES {
                let Some(index) = ROUTES.iter().position(|r| r.code == code && r.line == line) else {
                    continue;
                };
                if per == "W" && !winter {
                    continue;
                }
                let route = &ROUTES[index];
                for (i, dep) in departures.iter().enumerate() {
                    let (from, to) = ends(route, i);
                    trips.push(Trip {
                        trip_no,
                        route: index,
                        per,
                        dow,
                        from,
                        to,
                        dep_min: dep + later,
                        run_min: route.run_min + slower,
                        dist_m: route.dist_m,
                    });
                    trip_no += 1;
                }
            }
        }
    }
    trips
}

/// Every second trip goes the other way; the loop starts at the university instead.
fn ends(route: &Route, i: usize) -> (&'static str, &'static str) {
    let [a, b] = route.ends;
    match (route.code, i % 2) {
        ("HL", 1) => ("UNI", "UNI"),
        ("AN", _) | (_, 0) => (a, b),
        _ => (b, a),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::trips;
    use crate::demo::calendar::Day;

    #[test]
    fn keys_are_unique_and_leisure_routes_rest_in_winter() {
        let trips = trips();
        let keys: BTreeSet<String> = trips.iter().map(super::Trip::key).collect();
        assert_eq!(keys.len(), trips.len());
        let january = Day::of(2025, 1, 12);
        assert!(trips.iter().all(|t| !(t.sails(january) && t.route().code == "SK")));
        assert!(trips.iter().any(|t| t.sails(january) && t.route().code == "HL"));
    }
}
