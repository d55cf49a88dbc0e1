CREATE TABLE routes (
  route_id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  line TEXT NOT NULL,
  map_order INTEGER NOT NULL,
  opened TEXT
);
CREATE TABLE piers (
  pier TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  zone INTEGER NOT NULL,
  depth_cm INTEGER,
  step_free INTEGER NOT NULL
);
CREATE TABLE vessels (
  vessel_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  class TEXT NOT NULL,
  built INTEGER,
  seats INTEGER NOT NULL,
  crew_seats INTEGER NOT NULL,
  home_pier TEXT,
  class_until TEXT NOT NULL,
  laid_up_on TEXT
);
CREATE TABLE timetable (
  trip_key TEXT PRIMARY KEY,
  route_id INTEGER NOT NULL REFERENCES routes(route_id),
  per TEXT NOT NULL,
  dow TEXT NOT NULL,
  from_pier TEXT NOT NULL,
  to_pier TEXT NOT NULL,
  dep_min INTEGER NOT NULL,
  run_min INTEGER NOT NULL,
  dist_m INTEGER NOT NULL
);
CREATE TABLE sailings (
  sailing_id INTEGER PRIMARY KEY,
  vessel_id INTEGER NOT NULL REFERENCES vessels(vessel_id),
  op_day TEXT NOT NULL,
  op_line TEXT NOT NULL,
  trip_no INTEGER NOT NULL,
  state TEXT NOT NULL,
  dep_delay_s INTEGER,
  boarded INTEGER NOT NULL,
  fuel_l INTEGER,
  flags TEXT
);
CREATE TABLE passes (
  pass_no INTEGER PRIMARY KEY,
  prod TEXT NOT NULL,
  home_pier TEXT,
  sold_on INTEGER NOT NULL,
  till TEXT NOT NULL,
  price_ct INTEGER NOT NULL,
  del INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tickets (
  ticket_id INTEGER PRIMARY KEY,
  day INTEGER NOT NULL,
  trip TEXT NOT NULL,
  kind TEXT NOT NULL,
  qty INTEGER NOT NULL,
  fare_ct INTEGER NOT NULL,
  chan TEXT,
  pass_no INTEGER REFERENCES passes(pass_no)
);
CREATE TABLE crew (
  badge TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  rank TEXT NOT NULL,
  base_pier TEXT,
  hired_on TEXT NOT NULL,
  left_on TEXT
);
CREATE TABLE crew_shifts (
  shift_id INTEGER PRIMARY KEY,
  badge_no INTEGER NOT NULL,
  vessel_id INTEGER NOT NULL,
  day TEXT NOT NULL,
  start_min INTEGER NOT NULL,
  mins INTEGER NOT NULL,
  st TEXT NOT NULL
);
CREATE TABLE maintenance (
  job_id INTEGER PRIMARY KEY,
  vessel_id INTEGER NOT NULL REFERENCES vessels(vessel_id),
  sys TEXT NOT NULL,
  prio INTEGER NOT NULL,
  opened INTEGER NOT NULL,
  closed INTEGER,
  cost_ct INTEGER NOT NULL,
  wty INTEGER NOT NULL,
  note TEXT
);
CREATE INDEX sailings_by_day ON sailings(op_day);
