-- A company that is merged into another passes its order on.
create or replace trigger orders_kept before update or delete on orders
for each row execute function lanyard_written_once('participant_id', 'company_id', 'bill_to', 'discount_code', 'total', 'paid', 'balance',
  'unapplied', 'units', 'credited', 'status', 'revision', 'updated_at');
