-- People are listed by name, also those who have not told theirs yet.
drop index participants_named;
create index participants_named on participants (tenant_id, event_id, coalesce(last_name, ''), coalesce(first_name, ''), id);

-- What the summary of an event counts, read from indexes alone and in the order in which it is grouped: the rows are wide, and there are a
-- hundred thousand. An entry of an index has a largest size; the few people with more tags than fit are looked at one by one.
create index participants_counted on participants (tenant_id, event_id, is_test_data, status, flow_slug, source, tags) where cardinality(tags) <= 20;
create index participants_of_many_tags on participants (tenant_id, event_id) where cardinality(tags) > 20;
create index participants_finished on participants (tenant_id, event_id, is_test_data, completed_at) include (flow_slug)
  where completed_at is not null and status in ('complete', 'cancelled');
create index participants_cancelled on participants (tenant_id, event_id, is_test_data, cancelled_at) include (completed_at, flow_slug)
  where status = 'cancelled';
create index participants_guests on participants (tenant_id, event_id, is_test_data, status) where host_id is not null;
create index participants_substituted on participants (tenant_id, event_id, is_test_data, status) where substituted_by_id is not null;
create index order_lines_counted on order_lines (tenant_id, event_id, is_test_data, product_code, kind)
  include (list_amount, discount, net, tax, total);
create index ledger_entries_counted on ledger_entries (tenant_id, event_id, is_test_data, kind) include (amount, invoice_id);

-- Everything that happened to one record, and every mail to one person.
create index audit_entries_targets on audit_entries using gin (jsonb_path_query_array(targets, '$[*].id') jsonb_path_ops);
create index messages_to on messages (tenant_id, event_id, lower(to_address), id) where event_id is not null;
