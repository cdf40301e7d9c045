-- Whether a group or company signed up on the event's registration pages. Its requests for rooms are public ones. Others, which the organizer has
-- added, are known to the organizer, and their requests are private. Older records count as added by the organizer.
alter table managed_groups add column self_registered boolean not null default false;
alter table companies add column self_registered boolean not null default false;
