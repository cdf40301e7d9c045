import {
  choiceField,
  codeField,
  dayField,
  decimalField,
  defineQueryEntity,
  idField,
  instantField,
  integerField,
  buildLookupSql,
  textField,
  defineToManyRelation,
  moneyField,
  defineToOneRelation,
} from './define.ts'
import type { QueryEntity } from './types.ts'

/** SQL for the name of the supplier of a row. Suppliers belong to the client, not to the event, so they cannot be a related entity. */
const supplierName = textField(
  'Supplier',
  (row) => `(select sp.name from suppliers sp where sp.tenant_id = ${row}.tenant_id and sp.id = ${row}.supplier_id)`,
  {
    derived: true,
  },
)

const rfp = defineQueryEntity({
  name: 'rfp',
  label: 'Requests for proposal',
  rowIs: 'one request for proposal',
  area: 'sourcing',
  source: 'rfps',
  noTestData: true,
  fields: {
    number: codeField('Number', 'number'),
    status: choiceField('Status', 'status', ['draft', 'distributed', 'closed', 'awarded', 'cancelled']),
    responseDueAt: instantField('Responses due', 'response_due_at'),
  },
  relations: { recipients: defineToManyRelation('rfpRecipient', 'rfp_id'), responses: defineToManyRelation('rfpResponse', 'rfp_id') },
})

const rfpRecipient = defineQueryEntity({
  name: 'rfpRecipient',
  label: 'Recipients of requests',
  rowIs: 'one supplier that received a request for proposal',
  area: 'sourcing',
  source: 'rfp_recipients',
  noTestData: true,
  fields: {
    status: choiceField('Status', 'status', [
      'notSent',
      'sent',
      'opened',
      'acknowledged',
      'inProgress',
      'submitted',
      'turnedDown',
      'withdrawn',
      'bounced',
      'noResponse',
      'declined',
      'awarded',
    ]),
    supplierId: idField('Supplier id', 'supplier_id'),
    supplierName,
  },
  one: { rfp: defineToOneRelation('rfp', 'rfp_id') },
})

/** Responses to requests for proposals. If the request has sealed bidding, they can be read only after the deadline for responses. */
const rfpResponse = defineQueryEntity({
  name: 'rfpResponse',
  label: 'Responses to requests',
  rowIs: 'one offer of a supplier',
  area: 'sourcing',
  source: `(select rr.tenant_id, rr.event_id, rr.id, rr.rfp_id, rr.supplier_id, rr.round, rr.submitted_at, rr.withdrawn_at, rr.total,
    rr.content ->> 'currency' as currency
  from rfp_responses rr join rfps rq on rq.tenant_id = rr.tenant_id and rq.event_id = rr.event_id and rq.id = rr.rfp_id
  where not rq.sealed or rq.response_due_at <= (select lanyard_now()))`,
  noTestData: true,
  created: 'submitted_at',
  updated: (row) => `coalesce(${row}.withdrawn_at, ${row}.submitted_at)`,
  fields: {
    round: integerField('Round', 'round'),
    total: moneyField('Total', 'total', {
      help: 'Cost at the offered dates, less concessions',
      synonyms: ['net cost', 'offer amount'],
      currency: (row) => `${row}.currency`,
    }),
    score: decimalField('Score', (row, values) => `(${values} ->> ${row}.id)::numeric`, {
      computedFrom: 'responseScores',
      derived: true,
      help: '0 to 100, by the scoring rubric of the request',
    }),
    supplierId: idField('Supplier id', 'supplier_id'),
    supplierName,
  },
  one: { rfp: defineToOneRelation('rfp', 'rfp_id') },
})

const CONTRACT_STATUSES = [
  'draft',
  'submitted',
  'redlinesReceived',
  'counterProposed',
  'counterApplied',
  'counterSent',
  'readyForSignature',
  'outForSignature',
  'executed',
] as const

const contract = defineQueryEntity({
  name: 'contract',
  label: 'Supplier contracts',
  rowIs: 'one contract with a supplier',
  area: 'sourcing',
  source: 'supplier_contracts',
  noTestData: true,
  fields: {
    number: codeField('Number', 'number'),
    status: choiceField('Status', 'status', CONTRACT_STATUSES),
    committed: moneyField(
      'Committed',
      buildLookupSql('cv.committed', 'contract_versions cv', (row) => `cv.contract_id = ${row}.id and cv.n = ${row}.current_version`),
      {
        derived: true,
        help: 'Owed in any case by the current version',
        synonyms: ['committed spend'],
        currency: buildLookupSql("co.content ->> 'currency'", 'rfp_responses co', (row) => `co.id = ${row}.response_id`),
      },
    ),
    executedOn: dayField('Executed', 'executed_on'),
    supplierId: idField('Supplier id', 'supplier_id'),
    supplierName,
  },
  one: {
    rfp: defineToOneRelation(
      'rfp',
      buildLookupSql('cr.rfp_id', 'rfp_responses cr', (row) => `cr.id = ${row}.response_id`),
    ),
  },
  relations: { milestones: defineToManyRelation('milestone', 'contract_id') },
})

const milestone = defineQueryEntity({
  name: 'milestone',
  label: 'Contract milestones',
  rowIs: 'one deadline of a contract',
  area: 'sourcing',
  source: 'milestones',
  noTestData: true,
  fields: {
    code: codeField('Code', 'code'),
    dueOn: dayField('Due', 'due_on'),
    status: choiceField('Status', 'status', ['upcoming', 'due', 'done', 'missed', 'waived']),
    amountAtRisk: moneyField('Amount at risk', 'amount_at_risk', {
      currency: (row) => `(select mr.content ->> 'currency' from supplier_contracts mc join rfp_responses mr on mr.tenant_id = mc.tenant_id
        and mr.event_id = mc.event_id and mr.id = mc.response_id where mc.tenant_id = ${row}.tenant_id and mc.event_id = ${row}.event_id and mc.id = ${row}.contract_id)`,
    }),
  },
  one: { contract: defineToOneRelation('contract', 'contract_id') },
})

export const SOURCING_ENTITIES: readonly QueryEntity[] = [rfp, rfpRecipient, rfpResponse, contract, milestone]
