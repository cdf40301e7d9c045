import { raw } from 'hono/html'
import { plainText } from '../../../domains/configuration/rich-text.ts'
import type { Offer } from '../../../domains/registration/openings.ts'
import { whenAndWhere } from './frame.tsx'
import type { Place } from './place.ts'

interface Sharing {
  baseUrl: string
  cover: string
  offers: readonly Offer[]
}

/** What other sites show when somebody shares the page (Open Graph), and what search engines read of the event (schema.org). */
export function sharedFacts(place: Place, { baseUrl, cover, offers }: Sharing) {
  const { details } = place.config
  const url = `${baseUrl}${place.paths.home}`
  const description = details.summary ?? plainText(details.description ?? '').slice(0, 300)
  return (
    <>
      <link rel="canonical" href={url} />
      <meta name="description" content={description || whenAndWhere(place)} />
      <meta property="og:type" content="event" />
      <meta property="og:title" content={details.name} />
      <meta property="og:description" content={[whenAndWhere(place), description].filter(Boolean).join(' — ')} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={cover} />
      <meta name="twitter:card" content="summary_large_image" />
      <script type="application/ld+json">{raw(asScript(eventFacts(place, { url, cover, description, offers })))}</script>
    </>
  )
}

/** As JSON that cannot end the element it stands in. */
const asScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

function eventFacts(
  place: Place,
  { url, cover, description, offers }: { url: string; cover: string; description: string; offers: readonly Offer[] },
) {
  const { details } = place.config
  const { venue } = details
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: details.name,
    startDate: details.startsOn,
    endDate: details.endsOn,
    url,
    image: [cover],
    ...(description ? { description } : {}),
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: venue ? 'https://schema.org/OfflineEventAttendanceMode' : 'https://schema.org/OnlineEventAttendanceMode',
    location: venue
      ? {
          '@type': 'Place',
          name: venue.name ?? venue.city,
          address: {
            '@type': 'PostalAddress',
            ...(venue.address ? { streetAddress: venue.address } : {}),
            ...(venue.city ? { addressLocality: venue.city } : {}),
            ...(venue.country ? { addressCountry: venue.country } : {}),
          },
        }
      : { '@type': 'VirtualLocation', url },
    organizer: { '@type': 'Organization', name: place.client.name, ...(place.client.website ? { url: place.client.website } : {}) },
    offers: offers.map(({ product, amount, left }) => ({
      '@type': 'Offer',
      name: product.name,
      price: amount,
      priceCurrency: place.facts.currency,
      availability: left === 0 ? 'https://schema.org/SoldOut' : 'https://schema.org/InStock',
      url,
    })),
  }
}
