import { raw } from 'hono/html'
import { htmlToPlainText } from '../../../domains/configuration/rich-text.ts'
import type { TicketOffer } from '../../../domains/registration/flows/flow-openings.ts'
import { formatDatesAndVenue } from './event-layout.tsx'
import type { EventSite } from './event-site.ts'

interface MetadataInputs {
  baseUrl: string
  cover: string
  offers: readonly TicketOffer[]
}

/** Metadata for link previews (Open Graph) and search engines (schema.org). */
export function renderEventMetadata(site: EventSite, { baseUrl, cover, offers }: MetadataInputs) {
  const { details } = site.config
  const url = `${baseUrl}${site.paths.home}`
  const description = details.summary ?? htmlToPlainText(details.description ?? '').slice(0, 300)
  return (
    <>
      <link rel="canonical" href={url} />
      <meta name="description" content={description || formatDatesAndVenue(site)} />
      <meta property="og:type" content="event" />
      <meta property="og:title" content={details.name} />
      <meta property="og:description" content={[formatDatesAndVenue(site), description].filter(Boolean).join(' — ')} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={cover} />
      <meta name="twitter:card" content="summary_large_image" />
      <script type="application/ld+json">{raw(toScriptJson(toSchemaOrgEvent(site, { url, cover, description, offers })))}</script>
    </>
  )
}

/** Escapes `<`, so that the JSON cannot close its script element. */
const toScriptJson = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

function toSchemaOrgEvent(
  site: EventSite,
  { url, cover, description, offers }: { url: string; cover: string; description: string; offers: readonly TicketOffer[] },
) {
  const { details } = site.config
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
    organizer: { '@type': 'Organization', name: site.client.name, ...(site.client.website ? { url: site.client.website } : {}) },
    offers: offers.map(({ product, amount, left }) => ({
      '@type': 'Offer',
      name: product.name,
      price: amount,
      priceCurrency: site.facts.currency,
      availability: left === 0 ? 'https://schema.org/SoldOut' : 'https://schema.org/InStock',
      url,
    })),
  }
}
