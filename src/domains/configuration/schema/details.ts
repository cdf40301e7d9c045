import { z } from 'zod'
import { daysBetween, isCalendarDay } from '../../../kernel/time.ts'
import * as w from './builders.ts'

const Venue = z
  .strictObject({
    name: w.nullable(w.translatableText(160)),
    address: w.nullable(w.nonEmptyString(300)),
    city: w.nullable(w.nonEmptyString(120)),
    country: w.nullable(w.country()),
    region: w.addHelpText(
      w.nullable(
        z
          .string()
          .trim()
          .toUpperCase()
          .regex(/^[A-Z0-9]{1,3}$/, 'an ISO 3166-2 region without the country, such as NS'),
      ),
      'For taxes that differ within the country',
    ),
    latitude: w.nullable(w.numberInRange(-90, 90)),
    longitude: w.nullable(w.numberInRange(-180, 180)),
  })
  .superRefine(w.requireBothFieldsOrNeither('latitude', 'longitude'))

const MAX_DAYS = 366

export const EventDetails = z
  .strictObject({
    name: w.translatableText(160),
    summary: w.nullable(w.translatableText(300)),
    description: w.nullable(w.html()),
    startsOn: w.day(),
    endsOn: w.day(),
    venue: w.nullable(Venue),
    capacity: w.addHelpText(w.nullable(w.int(1, 1_000_000)), 'Maximum number of complete participants and guests together'),
    contactEmail: w.addHelpText(w.nullable(w.email()), 'Required to publish'),
    website: w.nullable(w.webUrl()),
    hashtags: w.listWithoutDuplicates(w.nonEmptyString(50).regex(/^[^#\s]+$/, 'without # and spaces'), 10),
  })
  .superRefine((details, ctx) => {
    w.requireDateOrder('startsOn', 'endsOn', { orEqual: true })(details, ctx)
    // Zod runs this check even if the start or the end was rejected as an invalid day, so both are checked again.
    if (isCalendarDay(details.startsOn) && isCalendarDay(details.endsOn) && daysBetween(details.startsOn, details.endsOn) > MAX_DAYS) {
      ctx.addIssue({ code: 'custom', path: ['endsOn'], message: `an event lasts at most ${MAX_DAYS} days` })
    }
  })
