-- An update that changes no column is no change of the record: revision and updated_at stay, and with them the ETag. Two kinds of update
-- always count: one by another trigger (depth 2 or more), which marks the record because a related row has changed, and one that raises
-- revision itself. A BEFORE trigger sees generated columns of the new row as null, so tables that have some name them as arguments.
create or replace function lanyard_touch() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() = 1 and new.revision = old.revision
    and (case when tg_nargs = 0 then new *= old else to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv end) then
    return new;
  end if;
  new.revision := old.revision + 1;
  new.updated_at := greatest(lanyard_now(), old.updated_at + interval '1 millisecond');
  return new;
end $$;

-- Recreates the triggers of tables with generated columns. Everything else about a trigger, such as its columns and condition, stays.
do $$
declare
  one record;
begin
  for one in
    select t.tgname, c.oid::regclass as relation, pg_get_triggerdef(t.oid) as definition,
      (select string_agg(quote_literal(a.attname), ', ' order by a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attgenerated <> '' and not a.attisdropped) as generated
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where p.proname = 'lanyard_touch' and not t.tgisinternal
  loop
    continue when one.generated is null;
    execute format('drop trigger %I on %s', one.tgname, one.relation);
    execute replace(one.definition, 'lanyard_touch()', format('lanyard_touch(%s)', one.generated));
  end loop;
end $$;
