-- Rooms that are held for the waiting list are found by their entry: when an offer is accepted or ends, and by the triggers that compare each
-- entry with its hold. Without an index each of these reads all reservations of the hotel.
create index reservations_of_entry on reservations (tenant_id, event_id, entry_id) where entry_id is not null;
