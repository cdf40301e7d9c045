-- Events of the demo take cards in the sandbox, so that a card payment can be tried without a payment provider. Only the demo sets it.
alter table events add column sandbox_cards boolean not null default false;

-- The sandbox takes no money, so a real registration must never count as paid by it.
create function refuse_real_sandbox() returns trigger language plpgsql as $$
begin
  if new.provider = 'sandbox' and not new.is_test_data
    and not exists (select from events e where e.tenant_id = new.tenant_id and e.id = new.event_id and e.sandbox_cards) then
    raise exception 'the sandbox is for test data' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger charges_sandbox before insert or update of provider, is_test_data on charges for each row execute function refuse_real_sandbox();
create trigger card_setups_sandbox before insert or update of provider, is_test_data on card_setups for each row execute function refuse_real_sandbox();
