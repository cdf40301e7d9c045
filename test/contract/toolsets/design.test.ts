import { describeContract } from '../contract.ts'

describeContract('design')
