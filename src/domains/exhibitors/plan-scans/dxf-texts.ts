import type { Point } from '../floor/plan-shapes.ts'
import type { DxfEntity } from './dxf-file.ts'

/** The width of a letter as a fraction of the height of capitals. */
const LETTER_WIDTH = 0.75

/** Removes the formatting of MTEXT and decodes the escapes of DXF texts. */
export const cleanDxfText = (text: string): string =>
  text
    .replace(/\\U\+([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/%%[uUoOkK]/g, '')
    .replace(/%%[dD]/g, '°')
    .replace(/\\P|\\n|\^J/g, '\n')
    .replace(/\\~/g, ' ')
    .replace(/\\[ACHQTWfFp][^;\\{}]*;/g, '')
    .replace(/\\S([^;]*);/g, '$1')
    .replace(/\\[LlOoKk]/g, '')
    .replace(/[{}]/g, '')
    .trim()

/** Returns the middle of a text in the coordinates of its DXF block. Null if the file gives no position. */
export function findTextCentre(entity: DxfEntity, text: string, height: number): Point | null {
  const lines = text.split('\n')
  const width = Math.max(...lines.map((line) => line.length)) * height * LETTER_WIDTH
  const turn = ((entity.rotation ?? 0) * Math.PI) / 180
  const shift = (x: number, y: number, right: number, up: number): Point => [
    x + Math.cos(turn) * right - Math.sin(turn) * up,
    y + Math.sin(turn) * right + Math.cos(turn) * up,
  ]
  if (entity.type === 'MTEXT') {
    if (!entity.position) return null
    const attachment = Math.max(1, Math.min(9, entity.attachmentPoint ?? 1)) - 1
    const [column, row] = [attachment % 3, Math.floor(attachment / 3)]
    const full = height * (1 + (lines.length - 1) * 1.6)
    return shift(entity.position.x, entity.position.y, ((1 - column) * width) / 2, ((row - 1) * full) / 2)
  }
  const centred = entity.halign === 1 || entity.halign === 4
  const at = (entity.halign ?? 0) > 0 && entity.endPoint ? entity.endPoint : entity.startPoint
  if (!at) return null
  return shift(at.x, at.y, centred ? 0 : entity.halign === 2 ? -width / 2 : width / 2, entity.halign === 4 ? 0 : height / 2)
}
