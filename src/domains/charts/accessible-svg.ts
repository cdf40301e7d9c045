import { createHash } from 'node:crypto'
import { escapeHtml } from '../../kernel/escape-html.ts'

/**
 * Adds the ARIA role, title and description of an image to an SVG. The ids are derived from the image, so that a page can contain several.
 */
export function makeSvgAccessible(svg: string, { title, description }: { title: string; description: string }): string {
  const id = `chart-${createHash('sha256').update(svg).digest('hex').slice(0, 12)}`
  const texts = `<title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(description)}</desc>`
  return svg.replace(
    /^<svg ([^>]*)>/,
    (_, attributes: string) => `<svg ${attributes} role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc">${texts}`,
  )
}
