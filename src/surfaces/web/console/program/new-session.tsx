import { listSpeakers } from '../../../../domains/sessions/speaker-list.ts'
import { scheduleSubmission } from '../../../../domains/submissions/schedule.ts'
import { createSubmission, readSubmissionConfig } from '../../../../domains/submissions/submissions.ts'
import { code, id, name, object, text } from '../../../../kernel/args.ts'
import { Input, Select, TextArea } from '../../components/forms.tsx'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { type FormErrors, validateFormFields, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { PROGRAM_PATH, toSelectOptions } from './program-page.tsx'
import { readSessionSlotForm, SessionSlotFields } from './slot-form.tsx'

const PATH = `${PROGRAM_PATH}/new`
/** Maximum number of speakers that the form offers. For other speakers, users ask an assistant. */
const MAX_SPEAKERS = 500

const NewSession = object({
  title: name(200),
  abstract: text(5000).optional(),
  trackCode: code(),
  formatCode: code(),
  speakerId: id('speaker').optional(),
})

const LABELS: Record<string, string> = {
  title: 'Title',
  abstract: 'Description',
  trackCode: 'Track',
  formatCode: 'Type of session',
  speakerId: 'Speaker',
  startsAt: 'Time',
}
const labelOf = (path: string) => LABELS[path] ?? ''

/** `…/program/new`: adds a conference session to the programme that was not proposed in the call for papers. */
export function sessionCreationPages(web: WebServices) {
  async function page(c: WebContext, at: EventPageContext, form: FormValues = {}, formErrors: FormErrors | null = null) {
    const { config, facts } = await readSubmissionConfig(at.reading)
    const { tracks, formats, rooms } = config.sessions
    const { speakers } = await listSpeakers({ ...at.reading, cursorScope: '' }, { limit: MAX_SPEAKERS })
    const field = createFieldPropsGetter(form, formErrors)
    const shown = renderFormPage({
      title: 'Add a session',
      text: 'It needs no proposal and no review. You can give it a room and time later.',
      crumbs: [{ href: `${at.base}/program`, label: 'Programme' }],
      formErrors,
      action: `${at.base}/program/new`,
      csrf: getCsrfToken(web, c),
      submit: 'Add session',
      cancel: `${at.base}/program`,
      children: (
        <>
          <Input {...field('title')} label="Title" maxlength={200} autocomplete="off" />
          <TextArea {...field('abstract')} label="Description" optional="(optional)" rows={5} />
          <div class="fields-2">
            <Select {...field('trackCode')} label="Track" options={toSelectOptions(tracks)} />
            <Select
              {...field('formatCode')}
              label="Type of session"
              options={formats.map(({ code: value, name: label, minutes }) => ({ value, label: `${label}, ${minutes} minutes` }))}
            />
          </div>
          <Select
            {...field('speakerId')}
            label="Speaker"
            optional="(optional)"
            options={[{ value: '', label: 'No speaker yet' }, ...speakers.map(({ id: value, name: label }) => ({ value, label }))]}
          />
          <SessionSlotFields
            form={form}
            formErrors={formErrors}
            rooms={rooms}
            days={facts}
            zone={at.event.timezone}
            optional="(optional)"
          />
        </>
      ),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'program'), shown)
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => page(c, await getEventPageContext(web, c, 'sessions.write')))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sessions.write')
      const given = Object.fromEntries(Object.keys(LABELS).map((key) => [key, form[key]?.trim() || undefined]))
      const { startsAt: _, ...sent } = given
      const read = validateFormFields(NewSession, sent, labelOf)
      const slot = readSessionSlotForm(form, at.event.timezone)
      const errors = [...('errors' in read ? read.errors : []), ...(slot && 'errors' in slot ? slot.errors : [])]
      if ('errors' in read || errors.length > 0) return page(c, at, form, { errors })
      const { speakerId, ...fields } = read.data
      let number = ''
      const formErrors = await catchFormErrors(
        () =>
          // The conference session is added and scheduled in one transaction, so that a session with a clash is not left without a time.
          runEventChange(web, at, 'manage_submission', async (ctx) => {
            const speakers = speakerId === undefined ? [] : [{ speakerId }]
            ;({ number } = await createSubmission(ctx, { ...fields, status: 'accepted', speakers }))
            if (slot && 'slot' in slot) await scheduleSubmission(ctx, number, slot.slot)
          }),
        labelOf,
      )
      return formErrors ? page(c, at, form, formErrors) : c.redirect(`${at.base}/program/${number}?done=session-added`, 303)
    })
}
