import { toOneLine, code, country, email, flag, id, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { BillToInput } from '../orders/bill-to.ts'
import { COMPANY_STATES } from './states.ts'

export const COMPANY_RECORD = defineRecord({
  table: 'companies',
  kind: 'company',
  noun: 'Company',
  name: (row) => row.code,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  announced: { updated: 'company.updated' },
  states: COMPANY_STATES,
  fields: {
    code: { column: 'code', type: code(), meaning: 'Code of the company.' },
    name: { column: 'name', type: name(), meaning: 'Name of the company.' },
    description: { column: 'description', empty: null, type: text(5000), meaning: 'Description for participants.' },
    logoFileId: { column: 'logo_file_id', empty: null, type: id('file'), meaning: 'Id of the file with the logo.' },
    website: { column: 'website', empty: null, type: text(2000), meaning: 'URL of the website.' },
    country: { column: 'country', empty: null, type: country(), meaning: 'Country code.' },
    categories: { column: 'categories', empty: [], type: list(text(), 50), meaning: 'Codes of the categories it is listed under.' },
    contact: {
      columns: { name: 'contact_name', email: 'contact_email', phone: 'contact_phone' },
      type: toOneLine(object({ name: name().optional(), email: email().optional(), phone: text(40).optional() }), 'name, email, phone'),
      meaning: 'Contact person.',
    },
    billing: { column: 'billing', json: 'merged', empty: {}, type: BillToInput, meaning: 'Address on invoices to the company.' },
    externalId: { column: 'external_id', empty: null, type: text(100), meaning: 'Id of the company in your own system.' },
    sponsorLevel: { column: 'sponsor_level', empty: null, type: text(), meaning: 'Sponsorship level.' },
    sponsorAmount: { column: 'sponsor_amount', empty: null },
    appointmentsEnabled: { column: 'appointments_enabled', type: flag(), meaning: 'Whether participants can book appointments.' },
    status: { column: 'status', type: oneOf(COMPANY_STATES.all), meaning: 'Status of the company at this event.' },
  },
})
