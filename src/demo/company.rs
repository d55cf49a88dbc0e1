//! Norhaven Ferries on paper: piers, routes and vessels.

use super::calendar::Day;

/// A place where vessels call. `zone` 0 marks places for staff only.
pub struct Pier {
    /// Three-letter code.
    pub code: &'static str,
    /// Name on the map.
    pub name: &'static str,
    /// Fare zone 1..=4, or 0.
    pub zone: i64,
    /// Depth at the quay in centimetres.
    pub depth_cm: i64,
    /// 1 where a wheelchair can board.
    pub step_free: i64,
}

const fn pier(code: &'static str, name: &'static str, zone: i64, depth_cm: i64, step_free: i64) -> Pier {
    Pier { code, name, zone, depth_cm, step_free }
}

/// The piers.
pub const PIERS: [Pier; 19] = [
    pier("CEN", "Norhaven Central", 1, 620, 1),
    pier("OPH", "Opera House", 1, 540, 1),
    pier("FIS", "Fish Market", 1, 480, 1),
    pier("MAR", "Maritime Museum", 1, 410, 0),
    pier("UNI", "University Quay", 1, 450, 1),
    pier("WES", "West Docks", 1, 590, 1),
    pier("AIR", "Airport", 3, 520, 1),
    pier("KAL", "Kalvoy", 2, 430, 1),
    pier("GRO", "Gronholm", 2, 390, 0),
    pier("LYN", "Lyngsund", 2, 405, 1),
    pier("VES", "Vesterey", 3, 610, 1),
    pier("SKE", "Outer Skerries", 4, 310, 0),
    pier("LIG", "Storfyr Lighthouse", 4, 280, 0),
    pier("FJO", "Fjordbotn", 3, 470, 1),
    pier("HAM", "Hamnes", 2, 440, 1),
    pier("SBY", "South Bay", 2, 500, 1),
    pier("ELV", "Elvekanten", 2, 360, 0),
    pier("YRD", "Yard", 0, 700, 0),
    pier("FUE", "Fuel Berth", 0, 650, 0),
];

/// A route and what the generator knows of its traffic.
pub struct Route {
    /// Two-letter code.
    pub code: &'static str,
    /// Name on the map.
    pub name: &'static str,
    /// Letter of the line it belongs to.
    pub line: &'static str,
    /// Place on the map, from the top.
    pub map_order: i64,
    /// First day of service.
    pub opened: &'static str,
    /// From and to.
    pub ends: [&'static str; 2],
    /// Length in metres.
    pub dist_m: i64,
    /// Planned minutes.
    pub run_min: i64,
    /// Share of the sellable seats taken on an ordinary day.
    pub load: f64,
    /// 0 for commuters (full on weekdays) to 1 for leisure (full on weekends and in summer).
    pub leisure: f64,
    /// 0 sheltered to 1 open sea: how much wind stops it.
    pub exposed: f64,
    /// Fare for one adult in cents.
    pub fare_ct: i64,
    /// Vessels that sail it, usual ones first.
    pub fleet: &'static [i64],
}

/// The routes; `route_id` is the position, from 1.
#[rustfmt::skip]
pub const ROUTES: [Route; 11] = [
    Route { code: "HL", name: "Harbour Loop", line: "H", map_order: 3, opened: "1968-05-01", ends: ["CEN", "CEN"], dist_m: 9_260, run_min: 42, load: 0.52, leisure: 0.35, exposed: 0.05, fare_ct: 4_200, fleet: &[1, 2, 3] },
    Route { code: "HX", name: "Harbour Cross", line: "H", map_order: 4, opened: "1974-09-16", ends: ["FIS", "WES"], dist_m: 2_410, run_min: 11, load: 0.45, leisure: 0.10, exposed: 0.03, fare_ct: 3_200, fleet: &[3, 4, 2] },
    Route { code: "AX", name: "Airport Express", line: "A", map_order: 1, opened: "2001-06-11", ends: ["CEN", "AIR"], dist_m: 16_850, run_min: 28, load: 0.49, leisure: 0.20, exposed: 0.20, fare_ct: 14_900, fleet: &[5, 6, 7] },
    Route { code: "AN", name: "Airport Night", line: "A", map_order: 2, opened: "2011-03-27", ends: ["AIR", "CEN"], dist_m: 16_850, run_min: 34, load: 0.27, leisure: 0.45, exposed: 0.20, fare_ct: 18_900, fleet: &[6, 7] },
    Route { code: "IL", name: "Island Line", line: "N", map_order: 5, opened: "1959-04-20", ends: ["CEN", "GRO"], dist_m: 14_300, run_min: 47, load: 0.50, leisure: 0.40, exposed: 0.35, fare_ct: 6_800, fleet: &[8, 9, 10] },
    Route { code: "VE", name: "Vesterey Line", line: "N", map_order: 6, opened: "1963-08-01", ends: ["LYN", "VES"], dist_m: 21_700, run_min: 66, load: 0.43, leisure: 0.45, exposed: 0.75, fare_ct: 9_600, fleet: &[11, 12] },
    Route { code: "SK", name: "Skerry Run", line: "N", map_order: 7, opened: "1992-06-05", ends: ["KAL", "SKE"], dist_m: 25_900, run_min: 74, load: 0.56, leisure: 1.00, exposed: 0.85, fare_ct: 12_400, fleet: &[7, 12, 5] },
    Route { code: "FJ", name: "Fjord Line", line: "S", map_order: 9, opened: "1970-05-15", ends: ["OPH", "FJO"], dist_m: 28_600, run_min: 81, load: 0.44, leisure: 0.60, exposed: 0.25, fare_ct: 11_800, fleet: &[9, 10, 14, 8] },
    Route { code: "SB", name: "South Bay", line: "S", map_order: 8, opened: "1985-10-01", ends: ["CEN", "SBY"], dist_m: 11_900, run_min: 33, load: 0.48, leisure: 0.15, exposed: 0.15, fare_ct: 5_600, fleet: &[4, 10, 8, 14, 2, 1] },
    Route { code: "LH", name: "Lighthouse Trip", line: "S", map_order: 10, opened: "2016-05-28", ends: ["HAM", "LIG"], dist_m: 18_200, run_min: 58, load: 0.61, leisure: 1.00, exposed: 0.80, fare_ct: 15_900, fleet: &[13, 9] },
    Route { code: "YT", name: "Yard Tender", line: "H", map_order: 99, opened: "1979-01-08", ends: ["YRD", "CEN"], dist_m: 3_150, run_min: 14, load: 0.16, leisure: 0.00, exposed: 0.02, fare_ct: 0, fleet: &[2, 3] },
];

/// A vessel.
pub struct Vessel {
    /// Name on the bow.
    pub name: &'static str,
    /// EL battery-electric, HSC high-speed craft, MF motor ferry, HV heritage vessel.
    pub class: &'static str,
    /// Year of building.
    pub built: i64,
    /// Seats, those of the crew included.
    pub seats: i64,
    /// Seats kept for the crew.
    pub crew_seats: i64,
    /// Where it lies at night.
    pub home_pier: &'static str,
    /// Last day of its class certificate.
    pub class_until: &'static str,
    /// The day it was taken out of service.
    pub laid_up: Option<Day>,
    /// First day without a valid certificate or in lay-up.
    pub out_from: Option<Day>,
    /// Litres per nautical mile; 0 for batteries.
    pub l_per_nm: f64,
}

/// The vessels; `vessel_id` is the position, from 1.
#[rustfmt::skip]
pub const VESSELS: [Vessel; 14] = [
    Vessel { name: "Ternen", class: "EL", built: 2021, seats: 148, crew_seats: 8, home_pier: "YRD", class_until: "2026-05-31", laid_up: None, out_from: None, l_per_nm: 0.0 },
    Vessel { name: "Skarven", class: "EL", built: 2022, seats: 148, crew_seats: 8, home_pier: "YRD", class_until: "2027-02-28", laid_up: None, out_from: None, l_per_nm: 0.0 },
    Vessel { name: "Lunde II", class: "MF", built: 2004, seats: 132, crew_seats: 6, home_pier: "WES", class_until: "2025-08-31", laid_up: None, out_from: None, l_per_nm: 9.5 },
    Vessel { name: "Teisten", class: "MF", built: 1998, seats: 120, crew_seats: 6, home_pier: "WES", class_until: "2025-06-30", laid_up: None, out_from: None, l_per_nm: 10.8 },
    Vessel { name: "Havsula", class: "HSC", built: 2015, seats: 246, crew_seats: 16, home_pier: "CEN", class_until: "2026-10-31", laid_up: None, out_from: None, l_per_nm: 27.5 },
    Vessel { name: "Storskarv", class: "HSC", built: 2017, seats: 246, crew_seats: 16, home_pier: "CEN", class_until: "2027-04-30", laid_up: None, out_from: None, l_per_nm: 26.4 },
    Vessel { name: "Krykkja", class: "HSC", built: 2008, seats: 198, crew_seats: 14, home_pier: "CEN", class_until: "2026-01-31", laid_up: Some(Day::of(2024, 9, 2)), out_from: Some(Day::of(2024, 9, 2)), l_per_nm: 29.9 },
    Vessel { name: "Alke", class: "MF", built: 2010, seats: 176, crew_seats: 10, home_pier: "CEN", class_until: "2026-03-31", laid_up: None, out_from: None, l_per_nm: 13.1 },
    Vessel { name: "Tjelden", class: "MF", built: 1994, seats: 164, crew_seats: 10, home_pier: "HAM", class_until: "2025-01-31", laid_up: None, out_from: Some(Day::of(2025, 2, 1)), l_per_nm: 15.6 },
    Vessel { name: "Svartbak", class: "MF", built: 2012, seats: 188, crew_seats: 12, home_pier: "CEN", class_until: "2025-09-30", laid_up: None, out_from: None, l_per_nm: 12.7 },
    Vessel { name: "Vesterhav", class: "MF", built: 2006, seats: 288, crew_seats: 18, home_pier: "LYN", class_until: "2026-07-31", laid_up: None, out_from: None, l_per_nm: 21.2 },
    Vessel { name: "Måken", class: "MF", built: 2001, seats: 232, crew_seats: 16, home_pier: "LYN", class_until: "2025-11-30", laid_up: None, out_from: None, l_per_nm: 19.4 },
    Vessel { name: "Gamle Sol", class: "HV", built: 1931, seats: 110, crew_seats: 10, home_pier: "HAM", class_until: "9999-12-31", laid_up: None, out_from: None, l_per_nm: 16.9 },
    Vessel { name: "Nordlys", class: "MF", built: 1989, seats: 154, crew_seats: 10, home_pier: "YRD", class_until: "2024-12-31", laid_up: Some(Day::of(2023, 11, 13)), out_from: Some(Day::of(2023, 11, 13)), l_per_nm: 17.3 },
];

impl Vessel {
    /// Whether it may sail on that day.
    pub fn in_service(&self, day: Day) -> bool {
        self.out_from.is_none_or(|out| day < out)
    }
}

/// The vessel with that `vessel_id`.
pub fn vessel(id: i64) -> Option<&'static Vessel> {
    usize::try_from(id).ok()?.checked_sub(1).and_then(|i| VESSELS.get(i))
}
