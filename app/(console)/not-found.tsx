import { NothingHere } from '#components/ui/nothing-here.tsx'

// Inside the frame, for a page of the console whose asset or invoice does not exist.
export default function Page() {
  return <NothingHere />
}
