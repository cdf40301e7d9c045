-- Moves of many reservations to another hotel, which a job makes in steps. Each reservation has its result in the transaction that moves it,
-- so a job that was killed goes on with the reservations that have none.
create table hotel_moves (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  -- Where the reservations are and go, and on which terms, as the call named them.
  terms jsonb not null,
  notify boolean not null,
  job_id text collate "C" not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, job_id) references jobs
);
create unique index hotel_moves_of_job on hotel_moves (tenant_id, event_id, job_id);

create table hotel_move_stays (
  tenant_id integer not null,
  event_id text collate "C" not null,
  move_id text collate "C" not null,
  reservation_id text collate "C" not null,
  -- The order in which reservations are moved.
  ordinal integer not null,
  -- Null: not processed yet.
  outcome text check (outcome in ('moved', 'notMoved')),
  -- What the tool answers about the reservation.
  result jsonb,
  primary key (tenant_id, event_id, move_id, reservation_id),
  foreign key (tenant_id, event_id, move_id) references hotel_moves,
  foreign key (tenant_id, event_id, reservation_id) references reservations on delete cascade,
  check ((outcome is null) = (result is null))
);
create index hotel_move_stays_of_reservation on hotel_move_stays (tenant_id, event_id, reservation_id);
