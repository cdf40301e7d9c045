import type { MeetingHoursOfDay } from '../../../domains/exhibitors/portal/hours.ts'
import { formatWeekday } from '../../../kernel/language/format.ts'
import { Checkbox, ErrorSummary, Form, Input, Select } from '../components/forms.tsx'
import { toFormErrors } from '../event/event-layout.tsx'
import { SidebarCard } from './parts.tsx'
import type { PortalAccess } from './portal-access.tsx'

export interface MeetingHoursFormState extends Omit<MeetingHoursOfDay, 'day'> {
  /** Whether the company offers meetings at all, on any day. */
  offers: boolean
  isWrong?: boolean
}

/** The default meeting hours in the form, for a day without slots. */
export const DEFAULT_MEETING_HOURS: Omit<MeetingHoursOfDay, 'day'> = { from: '10:00', until: '16:00', minutes: 30, approval: 'auto' }

const LENGTHS = [10, 15, 20, 30, 45, 60]
export const MAX_MEETING_SLOT_MINUTES = 480

/** The form for the hours in which a company offers meetings on one day. */
export const MeetingHoursForm = ({
  at,
  day,
  state,
  csrf,
}: {
  at: PortalAccess
  day: string
  state: MeetingHoursFormState
  csrf: string
}) => {
  const { say, locale } = at.site.words
  const lengths = [...new Set([...LENGTHS, state.minutes])].filter((minutes) => minutes > 0).toSorted((a, b) => a - b)
  const error = state.isWrong ? say('portal.badHours') : undefined
  return (
    <SidebarCard id="hours" title={say('portal.hoursOn', { day: formatWeekday(locale, day) })}>
      <ErrorSummary {...(toFormErrors(at.site, error ? [{ path: 'from', message: error }] : []) ?? {})} />
      <Form action={`${at.home}/appointments`} csrf={csrf} class="portal-form">
        <input type="hidden" name="day" value={day} />
        <div class="two-up">
          <Input name="from" label={say('portal.from')} value={state.from} error={error} maxlength={5} autocomplete="off" />
          <Input name="until" label={say('portal.untilLabel')} value={state.until} maxlength={5} autocomplete="off" />
        </div>
        <Select
          name="minutes"
          label={say('portal.length')}
          value={String(state.minutes)}
          options={lengths.map((minutes) => ({ value: String(minutes), label: say('portal.minutes', { count: minutes }) }))}
        />
        <Checkbox name="approval" label={say('portal.approve')} checked={state.approval === 'manual'} />
        <Checkbox name="offers" label={say('portal.offers')} help={say('portal.offersHelp')} checked={state.offers || !!state.isWrong} />
        <button type="submit" class="button wide">
          {say('portal.saveHours')}
        </button>
      </Form>
    </SidebarCard>
  )
}
