import { editConfigByOperations } from '../../../../domains/authoring/config-set.ts'
import { listMergeFieldNames } from '../../../../domains/configuration/data-fields.ts'
import { MERGE_FIELD_PATTERN } from '../../../../domains/configuration/merge-fields.ts'
import type { EmailBlock } from '../../../../domains/configuration/schema/emails.ts'
import type { ConfigOperation } from '../../../../domains/configuration/operations.ts'
import type { ListedEmail } from '../../../../domains/messages/event-mail/email-list.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { Checkbox, Input, TextArea } from '../../components/forms.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import { Card } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONFIRM_PAGE_BUTTON, isConfirmed } from '../confirm-page.tsx'
import { runEventChange, previewEventChange } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { EMAIL_PATH, type EmailPageContext, getEmailPageContext, renderExampleEmail } from './email-page.ts'
import { formatTriggerName, formatMergeFieldLabel } from './labels.ts'

const MAX_TEXT = 20_000

/** Matches paragraphs without any formatting, which the form shows as plain text. */
const PLAIN_PARAGRAPHS = /^(?:\s*<p>[^<]*<\/p>\s*)+$/
const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** The text of a block that the form can edit; null for pictures, formatted text and blocks with generated content. */
function textOfBlock(block: EmailBlock): string | null {
  if (block.type === 'heading') return block.text
  if (block.type === 'button') return block.label
  if (block.type !== 'text') return null
  if (block.markdown !== null) return block.markdown
  if (block.html === null || !PLAIN_PARAGRAPHS.test(block.html)) return null
  return [...block.html.matchAll(/<p>([^<]*)<\/p>/g)]
    .map(([, text]) => text!.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!))
    .join('\n\n')
}

function withText(block: EmailBlock, text: string): EmailBlock {
  if (block.type === 'heading') return { ...block, text }
  if (block.type === 'button') return { ...block, label: text }
  return block.type === 'text' ? { ...block, html: null, markdown: text } : block
}

const BLOCK_LABELS: Partial<Record<EmailBlock['type'], string>> = { heading: 'Heading', text: 'Text', button: 'Button' }

const fieldOf = (block: EmailBlock) => `block-${block.id}`

/**
 * Lists the blocks that the form can edit. A built-in email can contain several blocks with the same id, but the form lists each id once.
 */
function editableBlocks({ template }: ListedEmail): { block: EmailBlock; text: string }[] {
  return uniqueBlocks(template.blocks).flatMap((block) => {
    const text = textOfBlock(block)
    return text === null ? [] : [{ block, text }]
  })
}

/**
 * Makes the ids of blocks unique by appending a number to repeated ones. The configuration requires unique ids, but built-in emails repeat
 * them.
 */
function uniqueBlocks(blocks: readonly EmailBlock[]): EmailBlock[] {
  const seen = new Map<string, number>()
  return blocks.map((block) => {
    const count = (seen.get(block.id) ?? 0) + 1
    seen.set(block.id, count)
    return count === 1 ? block : { ...block, id: `${block.id}-${count}` }
  })
}

const valuesOf = (email: ListedEmail): FormValues => ({
  subject: email.template.subject,
  preheader: email.template.preheader ?? '',
  enabled: email.isSent ? 'on' : '',
  ...Object.fromEntries(editableBlocks(email).map(({ block, text }) => [fieldOf(block), text])),
})

/** Builds the operations of `config_set` that save the form in the draft. An edited built-in email becomes a custom email of the event. */
function toOperations({ email, emails }: EmailPageContext, form: FormValues): ConfigOperation[] {
  const textOf = (name: string) => cleanText(form[name] ?? '', MAX_TEXT).trim()
  const edited = new Map(editableBlocks(email).map(({ block }) => [block.id, textOf(fieldOf(block))]))
  const fields = { subject: textOf('subject'), preheader: textOf('preheader') || null, enabled: form['enabled'] === 'on' }
  const set = (path: string, value: unknown): ConfigOperation => ({ op: 'set', path, valueJson: JSON.stringify(value) })
  const changeBlock = (path: string, block: EmailBlock, text: string): ConfigOperation =>
    text === '' ? { op: 'remove', path } : set(path, withText(block, text))
  if (email.own) {
    const path = `/emails/${email.own.code}`
    const before: Record<string, unknown> = { subject: email.own.subject, preheader: email.own.preheader, enabled: email.own.enabled }
    return [
      ...Object.entries(fields).flatMap(([name, value]) => (before[name] === value ? [] : [set(`${path}/${name}`, value)])),
      ...editableBlocks(email).flatMap(({ block, text }) =>
        edited.get(block.id) === text ? [] : [changeBlock(`${path}/blocks/${block.id}`, block, edited.get(block.id)!)],
      ),
    ]
  }
  const taken = new Set(emails.map(({ key }) => key))
  const wanted = email.trigger
    .replaceAll(/([A-Z])/g, '-$1')
    .replaceAll('.', '-')
    .toLowerCase()
  const code = taken.has(wanted) ? `${wanted}-own` : wanted
  const blocks = uniqueBlocks(email.template.blocks).flatMap((block) => {
    const text = edited.get(block.id)
    return text === undefined ? [block] : text === '' ? [] : [withText(block, text)]
  })
  const value = {
    code,
    name: formatTriggerName(email.trigger),
    trigger: email.trigger,
    ...fields,
    blocks,
    attachments: email.template.attachments,
  }
  return [{ op: 'insert', path: '/emails', valueJson: JSON.stringify(value) }]
}

/** Lists the merge fields of this email: those of the records that its text uses, of the event, and of its trigger. */
function listMergeFields({ email, configuration: { config } }: EmailPageContext): { path: string; name: string }[] {
  const used = JSON.stringify(email.template).matchAll(MERGE_FIELD_PATTERN)
  const records = new Set(['event', 'participant', email.trigger.split('.')[0]!, ...[...used].map(([, path]) => path!.split('.')[0]!)])
  const labels = new Map(config.customFields.map(({ code, name }) => [`custom.${code}`, name]))
  return [...listMergeFieldNames(config)]
    .filter((path) => !path.startsWith('links.') && (path.startsWith('custom.') || records.has(path.split('.')[0]!)))
    .map((path) => ({ path, name: labels.get(path) ?? formatMergeFieldLabel(path) }))
}

const MergeFields = ({ at }: { at: EmailPageContext }) => (
  <details class="more">
    <summary>Fields you can use</summary>
    <p>
      <span class="needs-script">Click into a text where the field belongs, then choose the field. </span>A text after a vertical bar is
      used if the field is empty: <code>{'{{participant.firstName|friend}}'}</code>
    </p>
    <ul class="plain in-columns merge-fields">
      {listMergeFields(at).map(({ path, name }) => (
        <li>
          <bdi class="no-script">{name}</bdi>
          <button type="button" class="button small needs-script" data-insert={`{{${path}}}`}>
            <bdi>{name}</bdi>
          </button>{' '}
          <code>{`{{${path}}}`}</code>
        </li>
      ))}
    </ul>
  </details>
)

/** `…/emails/<code>/edit`: changes subject and texts in the draft. Visitors get the new text after the event is published. */
export function emailEditPages(web: WebServices) {
  function page(c: WebContext, at: EmailPageContext, form: FormValues, formErrors: FormErrors | null = null) {
    const fields = createFieldPropsGetter(form, formErrors)
    const blocks = editableBlocks(at.email)
    const others = at.email.template.blocks.length - blocks.length
    const shown = renderFormPage({
      title: at.email.own ? `Edit ${at.email.name}` : `Your own text for “${formatTriggerName(at.email.trigger)}”`,
      text: 'Words in double braces, such as {{participant.firstName}}, are filled in for each recipient. A part without text is removed.',
      crumbs: [
        { href: `${at.base}/emails?version=draft`, label: 'Emails' },
        { href: `${at.here}?version=draft`, label: at.email.name ?? formatTriggerName(at.email.trigger) },
      ],
      formErrors,
      action: `${at.here}/edit`,
      csrf: getCsrfToken(web, c),
      hidden: { revision: String(at.configuration.facts.draftRevision), ...(at.email.own ? {} : { enabled: 'on' }) },
      submit: 'Preview',
      cancel: `${at.here}?version=draft`,
      children: (
        <>
          <MergeFields at={at} />
          <Input {...fields('subject')} label="Subject" maxlength={200} required autocomplete="off" />
          <Input
            {...fields('preheader')}
            label="Preview line"
            optional="(optional)"
            maxlength={200}
            autocomplete="off"
            help="Shown after the subject in many mailboxes."
          />
          {blocks.map(({ block, text }) =>
            block.type === 'text' ? (
              <TextArea {...fields(fieldOf(block))} label={BLOCK_LABELS.text!} rows={Math.min(16, 3 + text.split('\n').length)} />
            ) : (
              <Input {...fields(fieldOf(block))} label={BLOCK_LABELS[block.type] ?? block.type} maxlength={300} autocomplete="off" />
            ),
          )}
          {others > 0 ? (
            <p class="muted">{`${others === 1 ? '1 part' : `${others} parts`} of this email, such as pictures, the order and event details, stay as they are. Ask your assistant to change them.`}</p>
          ) : null}
          {at.email.own ? <Checkbox name="enabled" label="Send this email" checked={form['enabled'] === 'on'} /> : null}
        </>
      ),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'emails'), shown)
  }

  return createConsoleRouter(web)
    .get(`${EMAIL_PATH}/edit`, async (c) => {
      const at = await getEmailPageContext(web, c, 'events.write', { draft: true })
      return page(c, at, valuesOf(at.email))
    })
    .post(`${EMAIL_PATH}/edit`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEmailPageContext(web, c, 'events.write', { draft: true })
      const operations = toOperations(at, form)
      if (!form['subject']?.trim()) return page(c, at, form, { errors: [{ path: 'subject', message: 'Subject: must not be empty' }] })
      if (operations.length === 0) return page(c, at, form, { message: 'There is no change to save.' })
      const code = at.email.own?.code ?? (JSON.parse(operations[0]!.valueJson!) as { code: string }).code
      const save = (ctx: EventContext) => editConfigByOperations(ctx, { operations, ifRevision: Number(form['revision']) || 1 })
      let made: { subject: string; text: string; issues: string[] } | null = null
      const errors = await catchFormErrors(
        async () => {
          if (isConfirmed(form)) return runEventChange(web, at, 'config_set', save)
          made = await previewEventChange(web, at, 'config_set', async (ctx) => {
            const { introduced } = await save(ctx)
            const own = { ...(at.email.own ?? at.email.template), code } as NonNullable<ListedEmail['own']>
            const rendered = await renderExampleEmail(ctx, { ...at, isDraft: true }, { trigger: at.email.trigger, own })
            return {
              subject: rendered?.subject ?? '',
              text: rendered?.text ?? '',
              issues: introduced.map(({ message }) => message),
            }
          })
          return made
        },
        () => '',
      )
      if (errors?.reason === 'movedOn')
        return page(c, at, form, { message: 'Another user changed the draft in the meantime. Open this page again before you save.' })
      if (errors) return page(c, at, form, errors)
      if (isConfirmed(form)) return c.redirect(`${at.base}/emails/${code}?version=draft&done=saved`, 303)
      const { subject, text, issues } = made!
      const { _csrf, ...hidden } = form
      const shown = renderChangePreviewPage({
        title: 'Save this text in the draft?',
        crumbs: [{ href: `${at.base}/emails?version=draft`, label: 'Emails' }],
        before: (
          <Card title={subject || 'Turned off'}>
            <pre class="wraps" tabindex={0}>
              {text || 'This email is not sent.'}
            </pre>
          </Card>
        ),
        action: `${at.here}/edit`,
        csrf: getCsrfToken(web, c),
        hidden,
        effects: (
          <ChangeEffectList
            effects={[
              'The new text is saved in the draft. People get it after you publish the event.',
              ...issues.slice(0, 10).map((message) => `Warning: ${message}`),
            ]}
          />
        ),
        submit: 'Save in the draft',
        submitAs: CONFIRM_PAGE_BUTTON,
        tone: 'primary',
        back: { href: `${at.here}?version=draft`, label: 'Cancel' },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'emails'), shown)
    })
}
