-- Leads of one company or of the event, newest first.
create index leads_created on leads (tenant_id, event_id, company_id, id);

-- When two companies are merged, their staff and the leads and slots of that staff change the company in several statements.
alter table leads alter constraint leads_tenant_id_event_id_staff_id_company_id_fkey deferrable initially immediate;
alter table offerings alter constraint offerings_tenant_id_event_id_staff_id_company_id_fkey deferrable initially immediate;
