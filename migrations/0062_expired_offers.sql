-- The email about an expired offer is sent once. Offers that expired before this version get none.
alter table waitlist_entries add column expiry_emailed_at timestamptz;
update waitlist_entries set expiry_emailed_at = coalesce(ended_at, lanyard_now()) where reason = 'offer_expired';
create index waitlist_entries_expired on waitlist_entries (ended_at) where reason = 'offer_expired' and expiry_emailed_at is null;
