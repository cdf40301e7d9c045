import { toDayInZone, formatInstant, isCalendarDay, toWallTimeInZone, wallTimeToInstant } from '../../../../kernel/time.ts'
import type { FieldErrors } from '../../components/forms.tsx'
import { buildAriaDescribedBy, LabelledField, Input, Select } from '../../components/forms.tsx'
import { createFieldPropsGetter } from '../../components/form-page.tsx'
import type { FormErrors } from '../../fields.ts'
import type { FormValues } from '../../web.ts'
import { type ProgramConfig, toSelectOptions } from './program-page.tsx'

export const SESSION_SLOT_FIELDS = ['room', 'day', 'time'] as const

/** The fields for room, day and start time of a conference session. The end time follows from the type of session. */
export const SessionSlotFields = ({
  form,
  formErrors,
  rooms,
  days,
  zone,
  optional,
}: {
  form: FormValues
  formErrors: FormErrors | null
  rooms: ProgramConfig['rooms']
  days: { startsOn: string; endsOn: string }
  /** The time zone of the start time. */
  zone: string
  /** The word after each label, such as "optional", on pages where a conference session can be saved without a room and time. */
  optional?: string
}) => {
  const field = createFieldPropsGetter(form, formErrors)
  const time = { ...field('time'), label: 'Starts at', optional, help: `Time zone ${zone}` }
  return (
    <div class="fields-3">
      <Select
        {...field('room')}
        label="Room"
        optional={optional}
        options={[{ value: '', label: 'Choose a room' }, ...toSelectOptions(rooms)]}
      />
      <Input {...field('day')} label="Day" optional={optional} type="date" min={days.startsOn} max={days.endsOn} />
      <LabelledField field={time}>
        <input
          id="time"
          name="time"
          type="time"
          value={time.value}
          aria-invalid={time.error ? 'true' : undefined}
          aria-describedby={buildAriaDescribedBy(time)}
        />
      </LabelledField>
    </div>
  )
}

/** Converts the room and time of a scheduled conference session to the values of the form. */
export const toSessionSlotFormValues = (session: { roomCode: string | null; startsAt: string | null }, timezone: string): FormValues =>
  session.startsAt === null
    ? {}
    : {
        room: session.roomCode ?? '',
        day: toDayInZone(timezone, new Date(session.startsAt)),
        time: toWallTimeInZone(timezone, new Date(session.startsAt)).slice(11, 16),
      }

/** Reads the room and time of a conference session from the form, in the event's time zone. Null if all these fields are empty. */
export function readSessionSlotForm(
  form: FormValues,
  timezone: string,
): { slot: { roomCode: string; startsAt: string } } | { errors: FieldErrors } | null {
  const [room, day, time] = SESSION_SLOT_FIELDS.map((name) => (form[name] ?? '').trim()) as [string, string, string]
  if (room === '' && day === '' && time === '') return null
  const errors = [
    ...(room === '' ? [{ path: 'room', message: 'Choose a room.' }] : []),
    ...(isCalendarDay(day) ? [] : [{ path: 'day', message: 'Enter the day.' }]),
    ...(/^\d\d:\d\d$/.test(time) ? [] : [{ path: 'time', message: 'Enter the start time, such as 09:30.' }]),
  ]
  if (errors.length > 0) return { errors }
  return { slot: { roomCode: room, startsAt: formatInstant(wallTimeToInstant(timezone, `${day}T${time}`)) } }
}
