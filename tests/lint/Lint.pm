# SPDX-License-Identifier: MIT
# What the lints in Perl share. They run in the top directory of the tree.
package Lint;
use strict;
use warnings;
use Exporter 'import';
use Test::More;

our @EXPORT = qw(slurp report);

# The text of a file.
sub slurp {
    my ($file) = @_;
    open my $handle, '<', $file or die "$file: $!";
    local $/;
    return scalar <$handle>;
}

# One check, which passes without findings.
sub report {
    my ($name, @findings) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok(!@findings, $name) || diag(join "\n", @findings);
}

1;
