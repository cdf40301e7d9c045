-- How far this server is behind: zero on a primary, and on a replica that is connected and has replayed everything it received; otherwise the age of the
-- last change that it replayed. Null on a replica that has not replayed any change since its start.
create function lanyard_replay_lag() returns interval language sql volatile as $$
  select case when not pg_is_in_recovery() or (pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver)) then interval '0'
    else clock_timestamp() - pg_last_xact_replay_timestamp() end $$;

-- The time that figures read now are of: the current time, or on a replica that is behind, the time of the last change that it shows.
create function lanyard_as_of() returns timestamptz language sql volatile as $$
  select lanyard_now() - coalesce(lanyard_replay_lag(), interval '0') $$;
