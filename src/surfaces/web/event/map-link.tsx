import { formatCountryName } from '../../../kernel/language/format.ts'
import type { EventSite } from './event-site.ts'

interface MapLinkProps {
  site: EventSite
  /** The name and address that the map is searched for. */
  place: string
  /** The name of the place for screen readers, on pages with several such links. */
  name?: string
  class?: string
}

/**
 * A link to a map of a place. It opens a new tab, because the map refuses to be shown in a website that embeds the page. The map's website
 * learns nothing about the page that has the link.
 */
export const MapLink = ({ site, place, name, class: css }: MapLinkProps) => (
  <a class={css} href={`https://www.openstreetmap.org/search?query=${encodeURIComponent(place)}`} target="_blank" rel="noopener noreferrer">
    {site.words.say('register.map')}
    {name ? <span class="hidden"> {name}</span> : null}
  </a>
)

/** The name and address of the event's venue in one line, with the country in the visitor's language; null without a venue. */
export function formatVenue({ config, words }: EventSite): string | null {
  const { venue } = config.details
  const country = venue?.country && formatCountryName(words.locale, venue.country)
  return venue ? [venue.name, venue.address, venue.city, country].filter(Boolean).join(', ') : null
}
