/** The place of a value that is not there; a card leaves it out. */
export const Nothing = ({ says = "–" }: { readonly says?: string }) => <span class="muted none">{says}</span>
