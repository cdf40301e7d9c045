// Reads barcodes from camera frames in browsers without BarcodeDetector. Loaded only there, and only when scanning starts.
import { prepareZXingModule, readBarcodes } from 'zxing/reader/index.js'

// Large enough for the small codes on badges. Larger frames only take longer.
const MAX_FRAME_PX = 960
const OPTIONS = { formats: ['QRCode', 'Code128', 'PDF417', 'DataMatrix', 'Aztec'], maxNumberOfSymbols: 1, textMode: 'Plain' }

export async function codeReader() {
  // By default the library would load its WebAssembly file from another site.
  await prepareZXingModule({ overrides: { locateFile: () => 'zxing/reader/zxing_reader.wasm' }, fireImmediately: true })
  const canvas = document.createElement('canvas')
  const picture = canvas.getContext('2d', { willReadFrequently: true })
  return async (video) => {
    const { videoWidth, videoHeight } = video
    const scale = Math.min(1, MAX_FRAME_PX / Math.max(videoWidth, videoHeight))
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)]
    if (!width || !height) return undefined
    Object.assign(canvas, { width, height })
    picture.drawImage(video, 0, 0, width, height)
    const [found] = await readBarcodes(picture.getImageData(0, 0, width, height), OPTIONS)
    return found?.text
  }
}
