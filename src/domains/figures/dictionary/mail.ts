import { choiceField, codeField, defineQueryEntity, instantField, buildLookupSql, defineToOneRelation, textField } from './define.ts'
import type { QueryEntity } from './types.ts'

const identity = { class: 'identity' } as const

const MESSAGE_STATUSES = [
  'queued',
  'claimed',
  'handed',
  'sent',
  'skipped',
  'held',
  'cancelled',
  'bounced',
  'failed',
  'uncertain',
  'delivered',
  'complained',
  'kept',
] as const

/** The entity of emails that were sent for an event. Emails with sign-in codes are secret and left out. */
const message = defineQueryEntity({
  name: 'message',
  label: 'Emails',
  rowIs: 'one email to one address',
  area: 'email',
  source: `(select ms.tenant_id, ms.event_id, ms.id, ms.is_test_data, ms.email_code, ms.to_address, ms.to_name, ms.category, ms.status, ms.queued_at, ms.sent_at
  from messages ms where ms.event_id is not null and ms.category <> 'signin.code')`,
  created: 'queued_at',
  updated: (row) => `coalesce(${row}.sent_at, ${row}.queued_at)`,
  fields: {
    emailCode: codeField('Email', 'email_code'),
    toAddress: textField('To', 'to_address', identity),
    toName: textField('Name of the recipient', 'to_name', identity),
    category: choiceField('Category', 'category', ['transactional', 'operational', 'marketing']),
    status: choiceField('Status', 'status', MESSAGE_STATUSES),
    queuedAt: instantField('Queued', 'queued_at'),
    sentAt: instantField('Sent', 'sent_at'),
  },
  one: {
    participant: defineToOneRelation(
      'participant',
      buildLookupSql(
        'min(mp.id)',
        'participants mp',
        (row) => `mp.email_norm = lanyard_fold_email(${row}.to_address) and mp.is_test_data = ${row}.is_test_data`,
      ),
    ),
  },
})

export const EMAIL_ENTITIES: readonly QueryEntity[] = [message]
