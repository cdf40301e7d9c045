import { z } from 'zod'
import { daysBetween, isDay } from '../../../kernel/time.ts'
import * as w from './words.ts'

const Venue = z
  .strictObject({
    name: w.maybe(w.text(160)),
    address: w.maybe(w.line(300)),
    city: w.maybe(w.line(120)),
    country: w.maybe(w.country()),
    region: w.about(
      w.maybe(
        z
          .string()
          .trim()
          .toUpperCase()
          .regex(/^[A-Z0-9]{1,3}$/, 'a region is written as in ISO 3166-2 without the country, such as NS'),
      ),
      'Where taxes differ within the country',
    ),
    latitude: w.maybe(w.number(-90, 90)),
    longitude: w.maybe(w.number(-180, 180)),
  })
  .superRefine(w.bothOrNone('latitude', 'longitude'))

const MAX_DAYS = 366

export const Details = z
  .strictObject({
    name: w.text(160),
    summary: w.maybe(w.text(300)),
    description: w.maybe(w.html()),
    startsOn: w.day(),
    endsOn: w.day(),
    venue: w.maybe(Venue),
    capacity: w.about(w.maybe(w.int(1, 1_000_000)), 'Complete participants and guests together'),
    contactEmail: w.about(w.maybe(w.email()), 'Needed to publish'),
    website: w.maybe(w.webUrl()),
    hashtags: w.set(w.line(50).regex(/^[^#\s]+$/, 'without # and blanks'), 10),
  })
  .superRefine((details, ctx) => {
    w.ordered('startsOn', 'endsOn', { orEqual: true })(details, ctx)
    // Days that are none were refused above, and are still seen here.
    if (isDay(details.startsOn) && isDay(details.endsOn) && daysBetween(details.startsOn, details.endsOn) > MAX_DAYS) {
      ctx.addIssue({ code: 'custom', path: ['endsOn'], message: `an event lasts at most ${MAX_DAYS} days` })
    }
  })
