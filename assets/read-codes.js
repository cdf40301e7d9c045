// Reads codes in what the camera sees, for browsers that cannot do so by themselves. Fetched only by those, when somebody wants to scan.
import { prepareZXingModule, readBarcodes } from 'zxing/reader/index.js'

// Small codes of badges can be read at this size; what is larger only takes longer.
const LARGEST = 960
const OPTIONS = { formats: ['QRCode', 'Code128', 'PDF417', 'DataMatrix', 'Aztec'], maxNumberOfSymbols: 1, textMode: 'Plain' }

export async function codeReader() {
  // Left to itself it would fetch its engine from another site.
  await prepareZXingModule({ overrides: { locateFile: () => 'zxing/reader/zxing_reader.wasm' }, fireImmediately: true })
  const canvas = document.createElement('canvas')
  const picture = canvas.getContext('2d', { willReadFrequently: true })
  return async (video) => {
    const { videoWidth, videoHeight } = video
    const scale = Math.min(1, LARGEST / Math.max(videoWidth, videoHeight))
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)]
    if (!width || !height) return undefined
    Object.assign(canvas, { width, height })
    picture.drawImage(video, 0, 0, width, height)
    const [found] = await readBarcodes(picture.getImageData(0, 0, width, height), OPTIONS)
    return found?.text
  }
}
