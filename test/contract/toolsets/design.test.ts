import { contractOf } from '../contract.ts'

contractOf('design')
