-- How often an organizer moved a confirmed stay to another hotel, room type or block. Each move is confirmed to the guest once.
alter table reservations add column moves integer not null default 0;
