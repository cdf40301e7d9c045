-- The number of guests that the holder of a room booked it for. `occupants` is the number that the rate is for: it is higher while more
-- people share the room, and falls back to this number when they leave.
alter table reservations add column booked_occupants integer not null default 1 check (booked_occupants between 1 and 8);

-- A room without an accepted share has exactly the guests it was booked for. For a shared room the number is in the holder's answers.
update reservations s set booked_occupants = case
  when not exists (select from room_shares h where h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.reservation_id = s.id
    and h.status = 'accepted') then s.occupants
  else least(s.occupants, coalesce((
    select (p.answers ->> '@housing.occupants')::integer from participants p
    where p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
      and p.answers ->> '@housing.occupants' ~ '^[1-8]$'), 1)) end
where s.occupants > 1;
