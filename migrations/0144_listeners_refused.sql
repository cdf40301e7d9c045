-- For a change that writes its audit row together with its commit, and so has no time to write webhook messages: it is retried if a webhook
-- of its tenant listens. The code is that of a serialization failure, which is retried from the start.
create function lanyard_refuse_listeners(tenant integer) returns boolean language plpgsql stable as $$
begin
  if lanyard_has_listeners(tenant) then raise exception 'a webhook listens to this change' using errcode = '40001'; end if;
  return false;
end $$;
