-- The rooms of an event at the end of a day, per room night and pool: the rooms of a block, or the rest of the room night (block_id '').
create table pickup_snapshots (
  tenant_id integer not null,
  event_id text collate "C" not null,
  day date not null,
  hotel_id text collate "C" not null,
  room_type_code text collate "C" not null,
  night date not null,
  block_id text collate "C" not null,
  contracted integer not null,
  returned integer not null,
  allocated integer not null,
  pickup integer not null,
  held integer not null,
  free_sell integer not null,
  primary key (tenant_id, event_id, day, hotel_id, room_type_code, night, block_id),
  foreign key (tenant_id, event_id) references events
);
