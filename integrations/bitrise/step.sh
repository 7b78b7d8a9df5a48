#!/bin/bash
# The step of step.yml. Bitrise passes each input as a variable of its name.
set -eu
set -- "$file"
[ -z "${channel:-}" ] || set -- "$@" --channel "$channel"
[ -z "${notes:-}" ] || set -- "$@" --notes "$notes"
[ -z "${notes_file:-}" ] || set -- "$@" --notes-file "$notes_file"

folder=$(mktemp -d "${TMPDIR:-/tmp}/taxiway.XXXXXX")
qr="${BITRISE_DEPLOY_DIR:-$folder}/taxiway-qr.png"
curl -fsSL --max-redirs 0 --retry 3 --retry-connrefused -o "$folder/upload.sh" "${server%/}/cli/upload.sh"
TAXIWAY_URL=$server TAXIWAY_TOKEN=$token sh "$folder/upload.sh" "$@" --outputs "$folder/outputs" --qr-image "$qr"

while IFS='=' read -r name value; do
  envman add --key "TAXIWAY_$(printf '%s' "$name" | tr '[:lower:]' '[:upper:]')" --value "$value"
done <"$folder/outputs"
