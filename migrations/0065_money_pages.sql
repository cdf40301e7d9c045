-- Indexes for the console's Money pages: open invoices by due date, and money received and returned by date, receipt and reference.
create index invoices_open on invoices (tenant_id, event_id, is_test_data, due_on, id) where balance > 0;
create index payments_received on payments (tenant_id, event_id, is_test_data, received_at, id) include (method, amount);
create index refunds_made on refunds (tenant_id, event_id, is_test_data, refunded_at, id) include (method, amount);
create index payment_reversals_made on payment_reversals (tenant_id, event_id, is_test_data, created_at, id) include (payment_id, amount);
create index refunds_receipts on refunds (tenant_id, event_id, receipt_number);
create index payment_reversals_receipts on payment_reversals (tenant_id, event_id, receipt_number);
create index payment_reversals_of_order on payment_reversals (tenant_id, event_id, order_id);
-- Card payments have no reference, so the index holds only payments that were recorded by hand.
create index payments_references on payments (tenant_id, event_id, (lower(reference)) collate "C") where reference is not null;
create index refunds_references on refunds (tenant_id, event_id, (lower(reference)) collate "C") where reference is not null;
